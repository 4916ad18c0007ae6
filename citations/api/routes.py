"""Citations for programs (SPEC P4, C5, C10). The same functions as the pages call."""

from ninja import Router

router = Router(tags=["citations"])
router.add_router("", "citations.api.file_entries.router")
router.add_router("", "citations.api.bring.router")
router.add_router("", "citations.api.rows.router")
router.add_router("", "citations.api.duplicates.router")
router.add_router("", "citations.api.own_file.router")
router.add_router("", "citations.api.audit.router")
router.add_router("", "citations.api.search.router")
router.add_router("", "citations.api.chips.router")
