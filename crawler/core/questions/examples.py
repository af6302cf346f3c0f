"""Questions to begin with, each one click away."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    key: str
    name: str
    sql: str


def examples(good: str, other: str) -> list[Example]:
    """For a crawl with this good topic; `other` is a topic that its pages may cite."""
    a, b = _quoted(good), _quoted(other)
    return [Example(key, name, sql.strip().format(a=a, b=b)) for key, name, sql in _EXAMPLES]


def _quoted(text: str) -> str:
    """
    >>> _quoted("/Arts/Rock 'n' Roll {x}")
    "'/Arts/Rock ''n'' Roll {x}'"
    """
    return "'" + text.replace("'", "''") + "'"


_EXAMPLES = (
    (
        "topic-to-topic",
        "Which pages of topic A link to pages of topic B?",
        """
SELECT a.page AS source, a.title, a.site,
       b.page AS target, b.title AS cites, b.site AS on_site, link.anchor
FROM link
JOIN page AS a ON a.page = link.source
JOIN page AS b ON b.page = link.target
WHERE a.topic IN (SELECT topic FROM topic_above WHERE above = {a})
  AND b.topic IN (SELECT topic FROM topic_above WHERE above = {b})
  AND link.is_between_sites
ORDER BY a.relevance DESC
LIMIT 200
""",
    ),
    (
        "census",
        "Which topics do the pages that are not relevant fall in?",
        """
SELECT topic, count(*) AS pages, round(avg(topic_probability), 2) AS mean_probability
FROM page
WHERE is_latest AND NOT is_relevant
GROUP BY topic
ORDER BY pages DESC
LIMIT 50
""",
    ),
    (
        "cited-by-sites",
        "Which relevant pages do the most other sites cite?",
        """
SELECT t.page, t.title, t.site, count(DISTINCT s.site) AS citing_sites
FROM link
JOIN page AS s ON s.page = link.source
JOIN page AS t ON t.page = link.target
WHERE link.is_between_sites AND t.is_relevant
GROUP BY t.page
ORDER BY citing_sites DESC, t.page
LIMIT 50
""",
    ),
    (
        "return",
        "Which sites cite each other, both ways?",
        """
WITH cites AS (
  SELECT DISTINCT s.site AS source, t.site AS target
  FROM link
  JOIN page AS s ON s.page = link.source
  JOIN page AS t ON t.page = link.target
  WHERE link.is_between_sites AND s.is_relevant AND t.is_relevant
)
SELECT there.source AS site, there.target AS other
FROM cites AS there
JOIN cites AS back ON back.source = there.target AND back.target = there.source
WHERE there.source < there.target
ORDER BY site, other
LIMIT 200
""",
    ),
    (
        "harvest",
        "How did the harvest change, by hundreds of pages?",
        """
SELECT page / 100 * 100 AS from_page, count(relevance) AS pages_read,
       round(avg(relevance), 3) AS mean_relevance, sum(relevance IS NULL) AS failed
FROM page
GROUP BY from_page
ORDER BY from_page
""",
    ),
    (
        "specialists",
        "Which sites are about nothing else?",
        """
SELECT site, pages, relevant, round(1.0 * relevant / pages, 2) AS share
FROM site
WHERE pages >= 5
ORDER BY share DESC, pages DESC
LIMIT 50
""",
    ),
    (
        "waiting",
        "What waits although a hub cites it?",
        """
SELECT waiting.url, waiting.priority, hub.rank AS hub_rank, page.title AS found_on_title
FROM waiting
JOIN hub ON hub.page = waiting.found_on
JOIN page ON page.page = hub.page
ORDER BY hub.rank, waiting.priority DESC
LIMIT 100
""",
    ),
    (
        "failures",
        "Why do fetches fail, and where?",
        """
SELECT outcome, count(*) AS fetches, count(DISTINCT site) AS sites, min(url) AS such_as
FROM page
WHERE outcome <> 'ok'
GROUP BY outcome
ORDER BY fetches DESC
""",
    ),
)
