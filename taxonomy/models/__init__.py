from taxonomy.models.edit import TreeEdit
from taxonomy.models.focus import Focus, FocusShare, GoodTopic
from taxonomy.models.guide import FocusDraft, FocusPage
from taxonomy.models.trained import TrainedModel
from taxonomy.models.tree import Example, Taxonomy, Topic

__all__ = [
    "Example",
    "Focus",
    "FocusDraft",
    "FocusPage",
    "FocusShare",
    "GoodTopic",
    "Taxonomy",
    "Topic",
    "TrainedModel",
    "TreeEdit",
]
