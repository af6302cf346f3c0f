"""The four roles of a team, each holding the rights of those below it."""

from enum import StrEnum


class Role(StrEnum):
    VIEWER = "viewer"
    CURATOR = "curator"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def label(self) -> str:
        return self.value.capitalize()

    @property
    def promise(self) -> str:
        """What a person with this role may do, in one sentence."""
        return _PROMISES[self]

    def includes(self, wanted: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(wanted)


_PROMISES = {
    Role.VIEWER: "Sees everything of the team.",
    Role.CURATOR: "Also edits topics and examples, and gives feedback.",
    Role.OPERATOR: "Also starts, steers and stops crawls.",
    Role.ADMIN: "Also decides who is in the team, and in which role.",
}
