"""The one rule of who sees what: an object is visible to the members of its team."""

from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.db import models
from django.db.models import Subquery

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from focusadmin.accounts.models import User

T = TypeVar("T", bound=models.Model)


class VisibleQuerySet(models.QuerySet[T]):
    """Base of every queryset that answers a person's request.

    `team_field` leads from the object to its team; a subclass names another way where needed.
    """

    team_field = "team"

    def visible_to(self, user: "User | AnonymousUser") -> Self:
        """Only what the user may see; nothing for somebody who has not signed in."""
        if not user.is_authenticated:
            return self.none()
        team_ids: Subquery[Any] = Subquery(user.memberships.values("team_id"))
        return self.filter(**{f"{self.team_field}__in": team_ids})
