from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from focusadmin.accounts import views

app_name = "accounts"

urlpatterns = [
    path(
        "signin/",
        LoginView.as_view(
            template_name="registration/signin.html", redirect_authenticated_user=True
        ),
        name="signin",
    ),
    path("signin/link/", views.signin_link, name="signin-link"),
    path("signout/", LogoutView.as_view(), name="signout"),
    path("settings/", views.settings, name="settings"),
    path("settings/password/", views.password, name="password"),
    path("settings/theme/", views.theme, name="theme"),
    path("teams/<slug:slug>/", views.team, name="team"),
    path("teams/<slug:slug>/members/", views.member_add, name="member-add"),
    path("teams/<slug:slug>/members/restore/", views.member_restore, name="member-restore"),
    path(
        "teams/<slug:slug>/members/<int:membership_id>/role/", views.member_role, name="member-role"
    ),
    path(
        "teams/<slug:slug>/members/<int:membership_id>/remove/",
        views.member_remove,
        name="member-remove",
    ),
]
