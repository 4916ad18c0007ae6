"""The JSON API of this room: datasets, analyses, figures."""

from ninja import Router

router = Router(tags=["analysis"])
