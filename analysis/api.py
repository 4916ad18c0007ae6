"""The JSON API of this app: datasets, analyses and figures."""

from ninja import Router

from analysis import analyses_api, datasets_api

router = Router(tags=["analysis"])
router.add_router("", analyses_api.router)
router.add_router("", datasets_api.router)
