"""Citations for programs (SPEC P4, C5, C10): `router` is what config mounts. The same functions as the pages call."""

from ninja import Router

router = Router(tags=["citations"])
router.add_router("", "citations.api.bring.router")
router.add_router("", "citations.api.rows.router")
router.add_router("", "citations.api.search.router")
