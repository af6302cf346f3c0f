"""`manage.py train` as people and scripts call it."""

import json

import pytest
from django.core.management import CommandError, call_command

from taxonomy.models import TrainedModel
from tests.taxonomy.test_training import taught

__all__ = ["taught"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def train(capsys, taught):
    def call(*arguments):
        call_command("train", "--taxonomy", "taught", *arguments, "--json")
        return json.loads(capsys.readouterr().out)

    return call


def test_train_tells_its_scores(train):
    said = train("--holdout", "0.3", "--model", "svm")
    model = TrainedModel.objects.get()
    assert said == {
        "taxonomy": "taught",
        "model": "svm",
        "version": 1,
        "examples": 16,
        "leaf_accuracy": model.scores["leaf_accuracy"],
        "top_accuracy": model.scores["top_accuracy"],
        "brier": model.scores["brier"],
        "seconds": round(model.seconds, 3),
    }
    assert said["top_accuracy"] > 0.9
    assert model.parameters["holdout"] == 0.3


@pytest.mark.parametrize("share", ["0.9", "0", "half"])
def test_an_odd_holdout_is_refused_as_bad_usage(train, share):
    with pytest.raises(CommandError, match=r"argument --holdout: .* 0\.05 to 0\.5"):
        train("--holdout", share)
    assert not TrainedModel.objects.exists()
