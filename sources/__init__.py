"""Clients of catalogues and search engines, one module each, all returning `Work` (SPEC C1, C11, R5, R18).

Also here: rate-limited HTTP, the response cache, and safe fetching of web pages.

    async with Client() as client:
        outcome = await PROVIDERS["crossref"].search(client, "pulmonary sarcoidosis", 10)

An outcome is Found, NothingFound, Failed or Skipped (sources/work.py): a failure is never an empty list.
"""
