from django.apps import AppConfig
from django.core.checks import register


class ResearchConfig(AppConfig):
    name = "research"

    def ready(self) -> None:
        from research.setup.checks import check_budget, check_export_format, check_profiles

        register(check_profiles)
        register(check_export_format)
        register(check_budget)
