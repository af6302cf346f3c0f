"""Every deed by its key, which is also the end of its route's name."""

from taxonomy.forms import examples, topics
from taxonomy.forms.deeds import DeedForm

_FORMS: list[type[DeedForm]] = [
    topics.CreateForm,
    topics.RenameForm,
    topics.MoveForm,
    topics.MergeForm,
    examples.SplitForm,
    topics.DeleteForm,
    topics.DescribeForm,
    topics.StartUrlsForm,
    examples.ExampleAddForm,
    examples.ExamplesMoveForm,
    examples.ExamplesRemoveForm,
]
DEEDS = {form.key: form for form in _FORMS}
