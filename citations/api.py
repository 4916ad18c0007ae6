"""Citations for programs (SPEC P4, C5, C10). The same functions as the pages call."""

from ninja import Router

router = Router(tags=["citations"])
router.add_router("", "citations.entry_api.router")
router.add_router("", "citations.import_api.router")
router.add_router("", "citations.row_api.router")
router.add_router("", "citations.audit_api.router")
router.add_router("", "citations.search_api.router")
router.add_router("", "citations.chips_api.router")
