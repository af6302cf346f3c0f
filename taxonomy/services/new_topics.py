"""When no topic fits: one made of a focus's own examples. The model learns it within seconds."""

from collections.abc import Sequence
from contextlib import suppress

from django.db import transaction

from focusadmin.accounts.models import User
from taxonomy.core.records import ExampleRecord
from taxonomy.models import Focus, FocusPage, Topic
from taxonomy.selectors.models import current_model
from taxonomy.services.drafts import DraftError
from taxonomy.services.edits import example_add, topic_create
from taxonomy.services.training import TrainingError, training_start

FEWEST = 2


@transaction.atomic
def topic_from_pages(
    *, focus: Focus, parent: Topic, name: str, pages: Sequence[FocusPage], by: User
) -> Topic:
    """The pages become examples of a new topic; the scheduler has the model learn them."""
    if len(pages) < FEWEST:
        raise DraftError(f"Choose at least {FEWEST} examples: one page alone teaches little.")
    taxonomy = focus.taxonomy
    made = topic_create(taxonomy=taxonomy, parent=parent, name=name, by=by)
    topic: Topic = Topic.objects.get(pk=made.topic_id)
    for page in pages:
        record = ExampleRecord((), page.title, page.url, page.text)
        example_add(taxonomy=taxonomy, topic=topic, record=record, by=by)
    if current_model(taxonomy) is None:
        with suppress(TrainingError):  # it is being trained already
            training_start(taxonomy=taxonomy, by=by)
    return topic


def is_learning(focus: Focus) -> bool:
    """Whether edits of the tree wait to be learnt; soon everything is routed anew."""
    model = current_model(focus.taxonomy)
    return model is None or model.taxonomy_revision < focus.taxonomy.revision
