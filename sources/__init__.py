"""Catalogues and search engines, one file each, all yielding `Work`; polite HTTP, cache, safe fetch (SPEC C1, C11, R5, R18).

    async with Client() as client:
        outcome = await PROVIDERS["crossref"].search(client, "pulmonary sarcoidosis", 10)

An outcome is Found, NothingFound, Failed or Skipped (sources/work.py): a failure is never an empty list.
"""
