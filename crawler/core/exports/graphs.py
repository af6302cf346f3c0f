"""The link graph of the pages, for Gephi and its like: GEXF 1.2 and GraphML."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from crawler.core.exports.markup import xml_text
from crawler.core.exports.types import ExportPage

_NODE_VALUES = ("url", "site", "topic", "relevance", "depth")
_TYPES = {"relevance": "double", "depth": "int"}


@dataclass(frozen=True, slots=True)
class Edge:
    """From page to page by their numbers; `context` is the relevance of the words around."""

    source: int
    target: int
    context: float


def write_gexf(pages: Iterable[ExportPage], edges: Iterable[Edge], out: IO[bytes]) -> None:
    """All pages first: the edges are read only when the pages are done."""
    _put(
        out,
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
        '<graph mode="static" defaultedgetype="directed">\n<attributes class="node">\n',
    )
    for name in _NODE_VALUES:
        kind = {"double": "double", "int": "integer"}.get(_TYPES.get(name, ""), "string")
        _put(out, f'<attribute id="{name}" title="{name}" type="{kind}"/>\n')
    _put(out, "</attributes>\n<nodes>\n")
    for page in pages:
        values = "".join(
            f'<attvalue for="{name}" value="{value}"/>' for name, value in _values(page).items()
        )
        label = xml_text(page.title or page.url)
        _put(
            out,
            f'<node id="{page.number}" label="{label}"><attvalues>{values}</attvalues></node>\n',
        )
    _put(out, "</nodes>\n<edges>\n")
    for number, edge in enumerate(edges):
        ends = f'source="{edge.source}" target="{edge.target}"'
        _put(out, f'<edge id="{number}" {ends} weight="{_weight(edge)}"/>\n')
    _put(out, "</edges>\n</graph>\n</gexf>\n")


def write_graphml(pages: Iterable[ExportPage], edges: Iterable[Edge], out: IO[bytes]) -> None:
    """As for GEXF."""
    _put(
        out,
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key id="label" for="node" attr.name="label" attr.type="string"/>\n'
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n',
    )
    for name in _NODE_VALUES:
        kind = _TYPES.get(name, "string")
        _put(out, f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n')
    _put(out, '<graph edgedefault="directed">\n')
    for page in pages:
        values = {"label": xml_text(page.title or page.url), **_values(page)}
        data = "".join(f'<data key="{name}">{value}</data>' for name, value in values.items())
        _put(out, f'<node id="{page.number}">{data}</node>\n')
    for edge in edges:
        ends = f'source="{edge.source}" target="{edge.target}"'
        _put(out, f'<edge {ends}><data key="weight">{_weight(edge)}</data></edge>\n')
    _put(out, "</graph>\n</graphml>\n")


def _values(page: ExportPage) -> dict[str, str]:
    values = {name: getattr(page, name) for name in _NODE_VALUES}
    return {n: xml_text(str(value)) for n, value in values.items() if value is not None}


def _weight(edge: Edge) -> str:
    """Never 0: layouts take that for no edge."""
    return f"{max(edge.context, 0.001):.4f}"


def _put(out: IO[bytes], text: str) -> None:
    out.write(text.encode("utf-8", "replace"))
