"""How relevant the target of a link promises to be."""


def link_score(page_relevance: float, context_relevance: float, beta: float) -> float:
    """beta * page + (1 - beta) * context (Guan 2008, equation 9)."""
    return beta * page_relevance + (1.0 - beta) * context_relevance
