from django.apps import AppConfig


class ContextFilesConfig(AppConfig):
    name = "contextfiles"
