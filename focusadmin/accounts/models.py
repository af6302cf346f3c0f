"""Users, the teams they share their work in, and one-time sign-in links."""

from typing import ClassVar, Self

from django.contrib.auth.models import AbstractUser, UserManager
from django.core.validators import RegexValidator
from django.db import models

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.visibility import VisibleQuerySet


class User(AbstractUser):
    """A person; preferences that the frame of every page needs are kept here."""

    class Theme(models.TextChoices):
        AUTO = "auto", "As the system"
        LIGHT = "light", "Light"
        DARK = "dark", "Dark"

    theme = models.CharField(max_length=5, choices=Theme.choices, default=Theme.AUTO)
    has_shortcuts = models.BooleanField(
        "single-key shortcuts",
        default=True,
        help_text="Single keys such as ? and z act outside text fields.",
    )

    objects: ClassVar[UserManager[Self]] = UserManager()

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(
                name="user_theme_known", condition=models.Q(theme__in=["auto", "light", "dark"])
            ),
        ]


class TeamQuerySet(VisibleQuerySet["Team"]):
    team_field = "pk"


class Team(models.Model):
    """People who work on the same focuses and crawls; everything belongs to one team."""

    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=80, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's place in a team."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=[(role.value, role.label) for role in Role])
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["user__username"]
        constraints = [
            models.UniqueConstraint(name="membership_once", fields=["user", "team"]),
            models.CheckConstraint(
                name="membership_role_known",
                condition=models.Q(role__in=[role.value for role in Role]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team} as {self.role}"


class SignInLink(models.Model):
    """A one-time way in. Only the token's digest is kept: a copy of the database opens nothing."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sign_in_links")
    token_sha256 = models.CharField(
        max_length=64, unique=True, validators=[RegexValidator(r"^[0-9a-f]{64}$")]
    )
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(name="sign_in_link_expiry", fields=["expires_at"])]

    def __str__(self) -> str:
        return f"sign-in link of {self.user}"
