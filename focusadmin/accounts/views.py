"""Signing in and out, one's own settings, and the team."""

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from focusadmin.accounts import selectors, services
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.forms import MemberAddForm, PreferencesForm, RoleForm, ThemeForm
from focusadmin.accounts.models import Membership, Team, User

require_page_or_form = require_http_methods(["GET", "HEAD", "POST"])


class UserRequest(HttpRequest):
    """A request behind the sign-in wall."""

    user: User


@require_GET
@login_not_required
def signin_link(request: HttpRequest) -> HttpResponse:
    """Signs in by the printed one-time link, as notebook servers do."""
    user = services.sign_in_link_use(token=request.GET.get("token", ""))
    if user is None:
        return render(request, "registration/link_spent.html", status=410)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("crawler:home")


@require_page_or_form
def settings(request: UserRequest) -> HttpResponse:
    form = PreferencesForm(_sent(request), instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, "Settings saved.")
        return redirect("accounts:settings")
    if form.is_bound:
        request.user.refresh_from_db()  # the form wrote what it refused into it, the theme too
    status = 422 if form.is_bound else 200
    return render(request, "accounts/settings.html", {"form": form}, status=status)


@require_page_or_form
def password(request: UserRequest) -> HttpResponse:
    """Sets a password; asks for the old one unless there is none yet."""
    has_password = request.user.has_usable_password()
    form_class = PasswordChangeForm if has_password else SetPasswordForm
    form = form_class(request.user, _sent(request))
    if form.is_valid():
        form.save()
        update_session_auth_hash(request, request.user)
        messages.success(request, "Password set. You can sign in with it from now on.")
        return redirect("accounts:settings")
    status = 422 if form.is_bound else 200
    return render(request, "accounts/password.html", {"form": form}, status=status)


@require_POST
def theme(request: UserRequest) -> HttpResponseRedirect:
    form = ThemeForm(request.POST)
    if form.is_valid():
        services.user_set_theme(user=request.user, theme=form.cleaned_data["theme"])
    return HttpResponseRedirect(_safe_next(request))


@require_safe
def team(request: UserRequest, slug: str) -> HttpResponse:
    return _team_page(request, selectors.team_get(user=request.user, slug=slug))


@require_page_or_form
def member_add(request: UserRequest, slug: str) -> HttpResponse:
    if request.method != "POST":  # the address of the answer, opened again
        return redirect("accounts:team", slug=selectors.team_get(user=request.user, slug=slug).slug)
    team = _administered_team(request, slug)
    form = MemberAddForm(request.POST)
    if not form.is_valid():
        return _team_page(request, team, form=form, status=422)
    try:
        membership, token = services.member_add(
            team=team, username=form.cleaned_data["username"], role=Role(form.cleaned_data["role"])
        )
    except services.MembershipError as error:
        form.add_error("username", str(error))
        return _team_page(request, team, form=form, status=422)
    messages.success(request, f"{membership.user} is now in the team.")
    if not token:
        return redirect("accounts:team", slug=team.slug)
    link = request.build_absolute_uri(f"{reverse('accounts:signin-link')}?token={token}")
    return _team_page(request, team, link=link, link_for=membership.user.username)


@require_POST
def member_role(request: UserRequest, slug: str, membership_id: int) -> HttpResponse:
    team = _administered_team(request, slug)
    membership = _membership(team, membership_id)
    form = RoleForm(request.POST)
    if form.is_valid():
        try:
            services.member_set_role(membership=membership, role=Role(form.cleaned_data["role"]))
            messages.success(
                request, f"{membership.user} is now {Role(form.cleaned_data['role']).label}."
            )
        except services.MembershipError as error:
            messages.error(request, str(error))
    return redirect("accounts:team", slug=team.slug)


@require_POST
def member_remove(request: UserRequest, slug: str, membership_id: int) -> HttpResponse:
    team = _administered_team(request, slug)
    membership = _membership(team, membership_id)
    try:
        token = services.member_remove(membership=membership)
    except services.MembershipError as error:
        messages.error(request, str(error))
        return redirect("accounts:team", slug=team.slug)
    if membership.user_id == request.user.pk:
        # No undo: who has left the team may no longer add people to it.
        messages.success(request, f"You have left {team}.")
        return redirect("crawler:home")
    undo_url = reverse("accounts:member-restore", args=[team.slug])
    messages.success(
        request, f"{membership.user} was removed.", extra_tags=undo_tag(undo_url, token)
    )
    return redirect("accounts:team", slug=team.slug)


@require_POST
def member_restore(request: UserRequest, slug: str) -> HttpResponse:
    team = _administered_team(request, slug)
    try:
        membership = services.member_restore(team=team, token=request.POST.get("token", ""))
        messages.success(request, f"{membership.user} is back in the team.")
    except services.MembershipError as error:
        messages.error(request, str(error))
    return redirect("accounts:team", slug=team.slug)


def _administered_team(request: UserRequest, slug: str) -> Team:
    team = selectors.team_get(user=request.user, slug=slug)
    selectors.require_role(user=request.user, team=team, wanted=Role.ADMIN)
    return team


def _membership(team: Team, membership_id: int) -> Membership:
    return get_object_or_404(selectors.team_members(team=team), pk=membership_id)


def _team_page(
    request: UserRequest,
    team: Team,
    *,
    form: MemberAddForm | None = None,
    link: str = "",
    link_for: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "team": team,
        "members": selectors.team_members(team=team),
        "roles": list(Role),
        "may_administer": selectors.has_role(user=request.user, team=team, wanted=Role.ADMIN),
        "form": form or MemberAddForm(),
        "link": link,
        "link_for": link_for,
    }
    return render(request, "accounts/team.html", context, status=status)


def _sent(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with; an empty POST is sent too, and must be refused by the form."""
    return request.POST if request.method == "POST" else None


def _safe_next(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
        return wanted
    return reverse("crawler:home")
