"""What must be true of every tree, whatever was done to it."""

from django.db.models import Count

from taxonomy.core.records import ExampleRecord
from taxonomy.models import Example, Taxonomy, Topic
from taxonomy.selectors.trees import topic_records


def assert_sound(taxonomy: Taxonomy) -> None:
    assert Topic.objects.find_problems() == ([], [], [], [], [])
    topics = list(Topic.objects.of(taxonomy))
    ids = {topic.path: topic.pk for topic in [taxonomy.root, *topics]}
    for topic in topics:
        assert topic.parent_id == ids[topic.path[: -topic.steplen]], topic
    assert_counts(taxonomy)


def assert_counts(taxonomy: Taxonomy) -> None:
    own = dict(Example.objects.kept().values_list("topic").annotate(number=Count("pk")).order_by())
    for topic in [Topic.objects.get(pk=taxonomy.root_id), *Topic.objects.of(taxonomy)]:
        inside = [topic.pk, *Topic.objects.below(topic).values_list("pk", flat=True)]
        assert topic.example_count == sum(own.get(pk, 0) for pk in inside), topic


def picture(taxonomy: Taxonomy) -> list[str]:
    """The tree as text, sorted: the same picture is the same tree."""
    return sorted(
        f"{'/'.join(record.path)} {record.title} {record.url} {record.text}"
        if isinstance(record, ExampleRecord)
        else f"{'/'.join(record.path)} {record.description} {record.terms} {record.start_urls}"
        for record in topic_records(taxonomy)
    )
