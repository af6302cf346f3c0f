"""What the steps of the guided path have in common: who may take them, and their frame.

A draft is a focus from its first minute: every step is an address, and what was done in it is in
the database when it is left (docs/decisions/0016).
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from focusadmin.accounts.views import UserRequest
from taxonomy.models import Focus
from taxonomy.selectors.sharing import focus_edited


@dataclass(frozen=True)
class Step:
    route: str
    label: str

    def url(self, focus: Focus) -> str:
        return reverse(f"crawler:{self.route}", args=[focus.pk])


STEPS = (
    Step("focus-examples", "Examples"),
    Step("focus-topics", "Topics"),
    Step("focus-explore", "Explore"),
    Step("focus-start", "Start"),
)


def edited_focus(request: UserRequest, focus_id: int) -> Focus:
    """The focus, for somebody who may change it."""
    return focus_edited(user=request.user, focus_id=focus_id)


def step_page(
    request: UserRequest,
    focus: Focus,
    route: str,
    template: str,
    context: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """A step with the way through all of them; any can be gone to at any time."""
    at = next(number for number, step in enumerate(STEPS) if step.route == route)
    frame = {
        "focus": focus,
        "steps": [
            {
                "label": step.label,
                "url": step.url(focus),
                "is_current": number == at,
                "is_done": is_done,
            }
            for number, (step, is_done) in enumerate(zip(STEPS, _done(focus), strict=True))
        ],
        "next_step": {"label": STEPS[at + 1].label, "url": STEPS[at + 1].url(focus)}
        if at + 1 < len(STEPS)
        else None,
    }
    return render(request, template, {**frame, **context}, status=status)


def unfinished_step(focus: Focus) -> Step:
    """Where to take a draft up again."""
    has_examples, has_topics, *_ = _done(focus)
    if not has_examples:
        return STEPS[0]
    return STEPS[-1] if has_topics else STEPS[1]


def _done(focus: Focus) -> list[bool]:
    pages = focus.pages
    return [
        pages.examples().exists(),
        focus.marks.exists(),
        pages.filter(found_on__isnull=False).exists(),
        focus.crawls.exists(),
    ]
