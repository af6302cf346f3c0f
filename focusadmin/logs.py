"""Structured logs: one line an event, JSON for machines or key=value for eyes.

Crawled text may end up in an event; both renderers escape control characters, so that a page
can't forge a log line.
"""

import logging.config
from typing import Any

import structlog
from structlog.typing import EventDict


def _without_request(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Django attaches the request to its own events; shown, it would carry one-time tokens."""
    event.pop("request", None)
    return event


_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    _without_request,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def logging_config(*, level: str, as_json: bool) -> dict[str, Any]:
    """Configure structlog and the standard library alike; returns what was given to the latter."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])
    )
    config: dict[str, Any] = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    renderer,
                ],
            }
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "structured"},
        },
        "root": {"handlers": ["stderr"], "level": level},
        # Their request lines repeat ours, and Daphne's would carry one-time tokens in addresses.
        "loggers": {
            name: {"level": "WARNING"}
            for name in ("daphne", "django.channels.server", "axes", "asyncio", "httpx")
        },
    }
    logging.config.dictConfig(config)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return config
