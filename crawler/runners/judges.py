"""Who judges the pages of a crawl: its model, its topics, and the words of their sub-domains."""

from collections import Counter

from django.db.models import QuerySet
from django.http import Http404

from crawler.core.judging import PageJudge
from crawler.models import Crawl
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.artefact import load_model
from taxonomy.core.features import tokens
from taxonomy.models import Example, Topic
from taxonomy.selectors.models import model_file
from taxonomy.selectors.trees import topic_by_path

TERM_AT_LEAST = 2  # times in a sub-domain's examples (Jamali 2006)


class JudgeError(FocusAdminError):
    """The crawl's model can't judge for it; the text says why and what to do."""


def require_judge(crawl: Crawl) -> None:
    """Before the first fetch: without a judge every page would be given up as unreadable."""
    judge_for(crawl)


def judge_for(crawl: Crawl) -> PageJudge:
    """The judge as the parsing children have it."""
    path = model_file(crawl.model)
    if not path.is_file():
        raise JudgeError(
            f"The crawl's model is gone: {path.name}. Bring the file back and resume the crawl, "
            "or start a new one."
        )
    good = [tuple(topic) for topic in crawl.good]
    pass_through = [tuple(topic) for topic in crawl.pass_through]
    try:
        scorer, _ = load_model(path, crawl.model.checksum)
        return PageJudge(scorer, good, pass_through, domains_of(crawl))
    except FocusAdminError as error:
        raise JudgeError(str(error)) from error


def domains_of(crawl: Crawl) -> list[list[str]]:
    """The vocabularies of the good topics' sub-domains: terms that occur at least twice.

    Topics that the tree has no more are left out: the model still knows them.
    """
    domains = []
    for lineage in crawl.good:
        try:
            topic = topic_by_path(taxonomy=crawl.focus.taxonomy, path="/" + "/".join(lineage))
        except Http404:
            continue
        children: list[Topic] = list(Topic.objects.filter(parent=topic)) or [topic]
        domains += [_vocabulary(Example.objects.in_subtree(child)) for child in children]
    return domains


def _vocabulary(examples: QuerySet[Example]) -> list[str]:
    counts: Counter[str] = Counter()
    for title, text in examples.values_list("title", "text")[:200]:
        counts.update(tokens(f"{title}\n{text}"))
    return sorted(word for word, count in counts.items() if count >= TERM_AT_LEAST)
