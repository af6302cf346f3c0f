"""The page of alarms, muting, and who is told."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crawler.core.alarms.rules import RULES
from crawler.core.alarms.states import State
from crawler.forms.alarms import MUTES, AlarmSettingsForm, MuteForm
from crawler.models import Alarm, AlarmSettings, Crawl
from crawler.selectors.alarms import (
    alarm_get,
    alarm_history,
    alarm_settings_of,
    alarms_of,
    state_counts,
)
from crawler.selectors.crawls import crawl_get
from crawler.services.alarms import alarm_mute, alarm_settings_save, alarm_unmute
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Team
from focusadmin.accounts.selectors import has_role, require_role, team_get, teams_of
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.text import isolated

SHOWN = 200


@require_safe
def index(request: UserRequest) -> HttpResponse:
    """Alarms by state, those that fire first, and what happened lately."""
    alarms = alarms_of(request.user)
    state = request.GET.get("state", State.FIRING)
    chosen = state if state in {*State, "all"} else State.FIRING
    shown = alarms if chosen == "all" else alarms.filter(state=chosen)
    teams = teams_of(request.user)
    context = {
        "alarms": shown[:SHOWN],
        "state": chosen,
        "counts": state_counts(alarms),
        "history": alarm_history(request.user),
        "now": timezone.now(),
        "mutes": MUTES,
        "operated": _operated(request, list(teams)),
        "teams": teams,
        "rules": RULES.values(),
    }
    return render(request, "crawler/alarms.html", context)


def _operated(request: UserRequest, teams: list[Team]) -> set[int]:
    """Teams whose alarms this person may mute."""
    user = request.user
    return {team.pk for team in teams if has_role(user=user, team=team, wanted=Role.OPERATOR)}


@require_POST
def mute(request: UserRequest, alarm_id: int) -> HttpResponse:
    alarm = _steered_alarm(request, alarm_id)
    form = MuteForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose for how long.")
        return redirect(_back(request))
    length = timedelta(hours=int(form.cleaned_data["hours"]))
    alarm_mute(alarm=alarm, by=request.user, length=length)
    messages.success(request, f"“{alarm.about.label}” of {isolated(alarm.crawl)} is mute.")
    return redirect(_back(request))


@require_POST
def unmute(request: UserRequest, alarm_id: int) -> HttpResponse:
    alarm = _steered_alarm(request, alarm_id)
    alarm_unmute(alarm=alarm)
    messages.success(request, f"“{alarm.about.label}” of {isolated(alarm.crawl)} is heard again.")
    return redirect(_back(request))


def _steered_alarm(request: UserRequest, alarm_id: int) -> Alarm:
    alarm = alarm_get(user=request.user, alarm_id=alarm_id)
    require_role(user=request.user, team=alarm.crawl.team, wanted=Role.OPERATOR)
    return alarm


def _back(request: UserRequest) -> str:
    state = request.POST.get("state", "")
    query = f"?state={state}" if state in {*State, "all"} else ""
    return reverse("crawler:alarms") + query


@require_http_methods(["GET", "HEAD", "POST"])
def team_settings(request: UserRequest, slug: str) -> HttpResponse:
    team = team_get(user=request.user, slug=slug)
    own = alarm_settings_of(team=team)
    return _settings(request, team, own, reverse("crawler:alarm-settings", args=[slug]))


@require_http_methods(["GET", "HEAD", "POST"])
def crawl_settings(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Those of one crawl; until they are saved, the team's hold."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    own = alarm_settings_of(team=crawl.team, crawl=crawl)
    if own.crawl_id is None:
        told = {"emails": own.emails, "webhook_url": own.webhook_url, "rules_off": own.rules_off}
        own = AlarmSettings(team=crawl.team, crawl=crawl, **told)
    address = reverse("crawler:crawl-alarm-settings", args=[crawl_id])
    return _settings(request, crawl.team, own, address, crawl)


def _settings(
    request: UserRequest,
    team: Team,
    own: AlarmSettings,
    address: str,
    crawl: Crawl | None = None,
) -> HttpResponse:
    """Webhooks carry what a team finds, so its operators see and set them, nobody else."""
    require_role(user=request.user, team=team, wanted=Role.OPERATOR)
    form = AlarmSettingsForm.showing(own)
    status = 200
    if request.method == "POST":
        form = AlarmSettingsForm(request.POST)
        if form.is_valid():
            alarm_settings_save(
                settings=own,
                emails=form.cleaned_data["emails"],
                webhook_url=form.cleaned_data["webhook_url"],
                rules_off=form.rules_off,
            )
            messages.success(request, "Alarm settings saved.")
            return redirect(address)
        status = 422
    context = {
        "form": form,
        "team": team,
        "crawl": crawl,
        "address": address,
        "has_mail": not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend"),
    }
    return render(request, "crawler/alarm_settings.html", context, status=status)
