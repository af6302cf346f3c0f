"""The page of the label queue: its states, its escaping, and who may label."""

import pytest
from django.urls import reverse

from crawler.models import Crawl, LabelAnswer, LabelQueue, LabelTask, PrecisionSample, Verdict
from crawler.services.labels import label_give, queue_of, sample_draw, task_next
from focusadmin.accounts.models import User
from taxonomy.models import TrainedModel
from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"
ROUTES = ("label-answer", "label-undo", "labels-sample", "labels-train", "labels-settings")


def address(crawl: Crawl, route: str = "labels") -> str:
    return reverse(f"crawler:{route}", args=[crawl.pk])


def seen(client, crawl: Crawl) -> Page:
    return Page(client.get(address(crawl)))


@pytest.fixture
def filled(scene) -> Crawl:
    """Finished, with four pages; its model has no file, so nothing can be learnt."""
    crawl = record(
        scene.crawl,
        Fetched("https://h0.example/", 0.9, fields={"title": HOSTILE, "text": HOSTILE}),
        Fetched("https://h1.example/", 0.6),
        Fetched("javascript:alert(1)//", 0.4),
        Fetched("https://h3.example/", 0.1),
    )
    Crawl.objects.filter(pk=crawl.pk).update(state=Crawl.State.FINISHED)
    crawl.refresh_from_db()
    return crawl


def next_of(crawl: Crawl, by: User) -> LabelTask:
    task = task_next(crawl=crawl, by=by)
    assert task is not None
    return task


def skipped_to(crawl: Crawl, by: User, url: str) -> LabelTask:
    """The task for this page; all before it are skipped."""
    while True:
        task = next_of(crawl, by)
        if crawl.pages.get(seq=task.page_seq).url == url:
            return task
        label_give(crawl=crawl, task_id=task.pk, value="skipped", by=by)


def test_a_crawl_without_pages_says_so(as_owner, scene):
    assert "Nothing to label yet" in seen(as_owner, scene.crawl).words
    assert not LabelQueue.objects.exists()  # looking writes nothing


def test_a_page_is_shown_with_its_reason_and_escaped(as_owner, owner, filled):
    skipped_to(filled, owner, "https://h0.example/")
    response = as_owner.get(address(filled))
    assert HOSTILE not in response.content.decode()
    page = Page(response)
    assert HOSTILE in page.words
    task = LabelTask.objects.get(handed_to=owner, is_open=True, page_seq=1)
    assert task.reason in page.words
    assert page.form(address(filled, "label-answer")).fields["task"] == str(task.pk)
    assert "0 of 20 until the next training" in page.words


def test_a_link_that_is_none_of_the_web_stays_text(as_owner, owner, filled):
    skipped_to(filled, owner, "javascript:alert(1)//")
    page = seen(as_owner, filled)
    assert "javascript:alert(1)//" in page.words
    assert not [link for link in page.links if link.startswith("javascript")]


def test_a_viewer_sees_how_it_stands_and_no_levers(as_teammate, owner, filled):
    sample_draw(filled)
    page = seen(as_teammate, filled)
    assert "You can look, but not label" in page.words
    assert "(0 of 2 labelled)" in page.words
    assert not [route for route in ROUTES if page.has_form(address(filled, route))]
    assert not LabelTask.objects.exists()


def test_when_all_is_answered_it_says_so(as_owner, owner, filled):
    while (task := task_next(crawl=filled, by=owner)) is not None:
        label_give(crawl=filled, task_id=task.pk, value="skipped", by=owner)
    assert "All done" in seen(as_owner, filled).words


def test_answers_lead_to_the_next_page_and_can_be_undone(as_owner, owner, filled):
    task = next_of(filled, owner)
    given = {"task": str(task.pk), "value": "skipped"}
    answer = as_owner.post(address(filled, "label-answer"), given)
    assert answer["Location"].endswith("/label/#card")
    token = LabelAnswer.objects.get().pk
    words = Page(as_owner.post(address(filled, "label-undo"), {"token": str(token)}, follow=True))
    assert "Undone. Here is the page again." in words.words
    again = as_owner.post(address(filled, "label-undo"), {"token": str(token)}, follow=True)
    assert "undone already" in Page(again).words


def test_nobody_undoes_the_answer_of_somebody_else(as_curator, owner, filled):
    task = next_of(filled, owner)
    given = label_give(crawl=filled, task_id=task.pk, value="skipped", by=owner)
    assert as_curator.post(address(filled, "label-undo"), {"token": given.pk}).status_code == 404


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "Say useful, not useful, or skip"),
        ({"task": "x", "value": "useful"}, "There is no such page in this queue"),
        ({"task": "9" * 30, "value": "useful"}, "There is no such page in this queue"),
    ],
)
def test_odd_answers_are_told(as_owner, filled, data, says):
    answer = as_owner.post(address(filled, "label-answer"), data, follow=True)
    assert says in Page(answer).words
    assert not Verdict.objects.exists()


def test_without_a_model_a_label_is_refused_with_the_remedy(as_owner, owner, filled):
    TrainedModel.objects.filter(is_current=True).update(is_current=False)
    task = next_of(filled, owner)
    given = {"task": str(task.pk), "value": "useful"}
    answer = as_owner.post(address(filled, "label-answer"), given, follow=True)
    assert "has no trained model yet" in Page(answer).words
    assert not LabelAnswer.objects.exists()


def test_settings_are_kept_within_bounds(as_owner, filled):
    post = {"train_after": "7", "wants_agreement": "on"}
    as_owner.post(address(filled, "labels-settings"), post)
    queue = LabelQueue.objects.get()
    assert (queue.train_after, queue.wants_agreement) == (7, True)
    for odd in ("0", "x", "100000"):
        answer = as_owner.post(
            address(filled, "labels-settings"), {"train_after": odd}, follow=True
        )
        assert "Not saved" in Page(answer).words
    assert LabelQueue.objects.get().train_after == 7


def test_a_sample_is_drawn_anew_and_both_are_told(as_owner, owner, filled):
    task_next(crawl=filled, by=owner)
    as_owner.post(address(filled, "labels-sample"), {"do": "anew"})
    assert PrecisionSample.objects.count() == 2
    assert "Precision, sample by sample" in seen(as_owner, filled).words
    answer = as_owner.post(address(filled, "labels-sample"), {"do": "more"}, follow=True)
    assert "The whole sample is in the queue already" in Page(answer).words


def test_training_is_told_while_it_lasts_and_when_it_failed(as_owner, owner, filled):
    as_owner.post(address(filled, "labels-train"))
    training = TrainedModel.objects.get(state="training")
    page = Page(as_owner.get(address(filled, "labels-progress")))
    assert f"Version {training.version} is being trained" in page.words
    assert any("hx-get" in element.attributes for element in page.elements)
    busy = as_owner.post(address(filled, "labels-train"), follow=True)
    assert "is being trained already" in Page(busy).words
    TrainedModel.objects.filter(pk=training.pk).update(state="failed", failure="No room left")
    page = Page(as_owner.get(address(filled, "labels-progress")))
    assert "No room left All labels are kept" in page.words
    assert page.has_form(address(filled, "labels-train"))
    assert queue_of(filled).counted_from == 0
