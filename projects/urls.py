from django.urls import path

from projects import views

app_name = "projects"

urlpatterns = [
    path("", views.home, name="home"),
    path("projects/new/", views.create, name="create"),
    # One thesis
    path("projects/<uuid:project_id>/settings/", views.settings, name="settings"),
    path("projects/<uuid:project_id>/delete/", views.delete, name="delete"),
    path("projects/<uuid:project_id>/members/", views.member_add, name="member_add"),
    path("projects/<uuid:project_id>/members/<uuid:user_id>/", views.member, name="member"),
    # The person
    path("account/", views.account, name="account"),
    path("account/tokens/", views.token_add, name="token_add"),
    path("account/tokens/<int:token_id>/delete/", views.token_delete, name="token_delete"),
]
