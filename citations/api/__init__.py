"""The API of citations (SPEC P4, C5, C10). It calls the same functions as the pages; config mounts `router`."""

from ninja import Router

router = Router(tags=["citations"])
router.add_router("", "citations.api.import_export.router")
router.add_router("", "citations.api.library.router")
router.add_router("", "citations.api.references.router")
router.add_router("", "citations.api.search.router")
