"""Addresses of this room."""

from django.urls import URLPattern

app_name = "analysis"
urlpatterns: list[URLPattern] = []
