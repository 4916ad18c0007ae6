"""Citations for programs (SPEC P4, C5, C10): `router` is what config mounts. The same functions as the pages call."""

from ninja import Router

router = Router(tags=["citations"])
router.add_router("", "citations.api.import_export.router")
router.add_router("", "citations.api.references.router")
router.add_router("", "citations.api.search.router")
