"""Reads about one topic: what it holds, and what sets it apart."""

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db.models import QuerySet
from django.db.models.functions import Substr

from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.sites import site_of
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.records import clean_url
from taxonomy.core.topic_words import telling_words
from taxonomy.core.words import distinctive_words, words_of
from taxonomy.models import Example, Taxonomy, Topic, TrainedModel
from taxonomy.selectors.models import judge_of
from taxonomy.selectors.trees import ROW_FIELDS

EXAMPLES_SHOWN = 50
EXAMPLES_READ = 200  # of a topic, for its words: enough to see what it is about
TOPICS_READ = 200
TEXT_SHOWN = 4_000
EXCERPT = 280
SUBTOPICS_SHOWN = 60


@dataclass(frozen=True)
class WebAddress:
    """An address cut so that the site, which can't be faked, stands out."""

    href: str
    before: str
    site: str
    after: str


@dataclass(frozen=True)
class ShownExample:
    id: int
    title: str
    excerpt: str
    rest: str
    address: WebAddress | None
    source: str


@dataclass(frozen=True)
class ExamplePage:
    examples: list[ShownExample]
    total: int
    is_first: bool
    next_after: int | None


@dataclass(frozen=True)
class TopicWords:
    """The most distinctive first, and the model they come from, if any."""

    words: list[str]
    model: TrainedModel | None = None


@dataclass(frozen=True)
class SubTopics:
    topics: list[Topic]
    hidden: int


def examples_of(topic: Topic, *, after: int = 0) -> ExamplePage:
    """The topic's own examples, oldest first, one page from `after` on."""
    own = topic.examples.kept().order_by("pk")
    shown = list(
        own.filter(pk__gt=after)
        .annotate(beginning=Substr("text", 1, TEXT_SHOWN))
        .defer("text")[: EXAMPLES_SHOWN + 1]
    )
    has_more = len(shown) > EXAMPLES_SHOWN
    shown = shown[:EXAMPLES_SHOWN]
    return ExamplePage(
        [_shown(example, example.beginning) for example in shown],
        own.count(),
        is_first=after <= 0,
        next_after=shown[-1].pk if has_more else None,
    )


def subtopics_of(topic: Topic) -> SubTopics:
    children = Topic.objects.filter(parent=topic).only(*ROW_FIELDS, "description")
    shown = list(children.order_by("name_key")[:SUBTOPICS_SHOWN])
    return SubTopics(shown, topic.numchild - len(shown))


def web_address(url: str) -> WebAddress | None:
    """Nothing for what is no address of the Web: it must not become a link."""
    href = clean_url(url)
    if href is None:
        return None
    try:
        host = urlsplit(href).hostname or ""
    except ValueError:
        return None
    site = site_of(host)
    before, found, after = href.partition("://")[2].partition(site)
    if not site or not found:
        return WebAddress(href, "", "", href.partition("://")[2])
    return WebAddress(href, before, site, after.rstrip("/"))


def words_of_topic(taxonomy: Taxonomy, topic: Topic, way: Lineage) -> TopicWords:
    """What the current model goes by, or what the examples tell while no model knows the topic."""
    try:
        judge = judge_of(taxonomy)
    except FocusAdminError:  # no model yet, or its file is damaged: the model's page tells
        return TopicWords(_words_of_examples(topic))
    if words := telling_words(judge.scorer, way):
        return TopicWords(words, judge.model)
    return TopicWords(_words_of_examples(topic))


def _words_of_examples(topic: Topic) -> list[str]:
    """Words more usual in the examples under this topic than under its siblings."""
    if topic.parent is None:
        return []
    inside = _topics_with_examples(topic)
    around = [pk for pk in _topics_with_examples(topic.parent, but=topic) if pk not in inside]
    found = distinctive_words(_word_counts(inside), _word_counts(around))
    return [each.word for each in found]


def _topics_with_examples(topic: Topic, *, but: Topic | None = None) -> list[int]:
    below: QuerySet[Topic] = Topic.objects.below(topic).filter(example_count__gt=0)
    if but is not None:
        below = below.exclude(path__range=but._get_children_path_interval(but.path))
    return [topic.pk, *below.order_by("path").values_list("pk", flat=True)[:TOPICS_READ]]


def _word_counts(topics: list[int]) -> Counter[str]:
    """In how many examples each word stands."""
    counts: Counter[str] = Counter()
    examples = Example.objects.kept().filter(topic__in=topics).values_list("title", "text")
    for title, text in examples[:EXAMPLES_READ]:
        counts.update(set(words_of(f"{title} {text[:TEXT_SHOWN]}")))
    return counts


def _shown(example: Example, text: str) -> ShownExample:
    cut = len(text) if len(text) <= EXCERPT else text.rfind(" ", 0, EXCERPT) + 1 or EXCERPT
    return ShownExample(
        id=example.pk,
        title=example.title,
        excerpt=text[:cut],
        rest=text[cut:],
        address=web_address(example.url),
        source=example.get_source_display(),
    )
