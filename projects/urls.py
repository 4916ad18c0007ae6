"""URLs of the home page, thesis settings, invitations and the account page."""

from django.urls import path

from projects import views

app_name = "projects"

urlpatterns = [
    path("", views.home, name="home"),
    path("projects/new/", views.create, name="create"),
    # One thesis
    path("projects/<uuid:project_id>/settings/", views.settings, name="settings"),
    path("projects/<uuid:project_id>/private/", views.settings_part, {"name": "private"}, name="kept_private"),
    path("projects/<uuid:project_id>/data-access/", views.settings_part, {"name": "data"}, name="data_access"),
    path("projects/<uuid:project_id>/drafting/switch/", views.drafting, name="drafting"),
    path("projects/<uuid:project_id>/delete/", views.delete, name="delete"),
    path("projects/<uuid:project_id>/members/", views.member_add, name="member_add"),
    path("projects/<uuid:project_id>/members/<uuid:user_id>/", views.member, name="member"),
    path("projects/<uuid:project_id>/invitations/<uuid:invitation_id>/", views.invitation, name="invitation"),
    # For the invited person
    path("invitations/<uuid:invitation_id>/", views.invited_here, name="invited_here"),
    path("invitations/<slug:token>/", views.invited, name="invited"),
    # The account
    path("account/", views.account, name="account"),
    path("account/tokens/", views.token_add, name="token_add"),
    path("account/tokens/<int:token_id>/delete/", views.token_delete, name="token_delete"),
]
