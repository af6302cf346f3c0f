"""The root of every error that FocusAdmin raises on purpose."""


class FocusAdminError(Exception):
    """Something the caller can act on; its text is fit to show to a person."""
