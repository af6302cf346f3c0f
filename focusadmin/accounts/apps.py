from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "focusadmin.accounts"
    label = "accounts"
