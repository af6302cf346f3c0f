from django.apps import AppConfig


class FocusAdminConfig(AppConfig):
    name = "focusadmin"
    label = "focusadmin"

    def ready(self) -> None:
        from focusadmin import checks

        checks.register_all()
