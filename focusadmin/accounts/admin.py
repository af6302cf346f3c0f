"""Support view of people and teams; one-time links can't be read or made here."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from focusadmin.accounts.models import Membership, SignInLink, Team, User

admin.site.register(User, UserAdmin)


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin[Team]):
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin[Membership]):
    list_display = ["user", "team", "role", "joined_at"]
    list_filter = ["role"]
    list_select_related = ["user", "team"]
    raw_id_fields = ["user", "team"]
    search_fields = ["user__username", "team__name"]


@admin.register(SignInLink)
class SignInLinkAdmin(admin.ModelAdmin[SignInLink]):
    list_display = ["user", "expires_at", "used_at"]
    list_select_related = ["user"]
    readonly_fields = ["user", "token_sha256", "expires_at", "used_at"]
