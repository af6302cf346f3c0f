from django.urls import path

from taxonomy.forms.registry import DEEDS
from taxonomy.views import classify, edits, focuses, models, quality, trees

app_name = "taxonomy"

_TREE = "taxonomies/<slug:slug>/"
_TOPIC = f"{_TREE}topics/<int:topic_id>/"
_ADDRESSES = {  # of the deeds whose key is not their address
    "example-add": "examples/add",
    "examples-move": "examples/move",
    "examples-remove": "examples/remove",
}

urlpatterns = [
    path("taxonomies/", trees.index, name="index"),
    path(_TREE, trees.tree, name="tree"),
    path(f"{_TREE}branch/<int:topic_id>/", trees.branch, name="branch"),
    path(f"{_TREE}suggest/", trees.suggest, name="suggest"),
    path(f"{_TREE}history/", edits.history, name="history"),
    path(f"{_TREE}quality/", quality.quality, name="quality"),
    path(f"{_TREE}models/", models.registry, name="models"),
    path(f"{_TREE}models/train/", models.train, name="model-train"),
    path(f"{_TREE}models/compare/", models.compare, name="models-compare"),
    path(f"{_TREE}models/<int:version>/use/", models.use, name="model-use"),
    path("classify/", classify.classify, name="classify"),
    path("classify/fetch/", classify.fetch, name="classify-fetch"),
    path("classify/keep/", classify.keep, name="classify-keep"),
    path("classify/kept/<int:focus_id>/<int:page_id>/", classify.forget, name="classify-forget"),
    path("classify/<slug:slug>/<int:topic_id>/", classify.example, name="classify-example"),
    path("classify/<slug:slug>/undo/<int:edit_id>/", classify.undo, name="classify-undo"),
    path(f"{_TREE}edits/<int:edit_id>/undo/", edits.undo, name="edit-undo"),
    path(f"{_TREE}focuses/", focuses.create, name="focus-create"),
    path(_TOPIC, trees.topic, name="topic"),
    *(
        path(f"{_TOPIC}{_ADDRESSES.get(key, key)}/", edits.deed, {"key": key}, name=f"topic-{key}")
        for key in DEEDS
    ),
    path("focuses/<int:focus_id>/marks/", focuses.marks, name="marks"),
    path("focuses/<int:focus_id>/marks/restore/", focuses.restore, name="marks-restore"),
]
