"""Translation of column names, as written on the command line, into the column ids that the R service uses."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import Refused

PARTS = {"run": "analyses", "sample-size": "designs", "figure": "figures", "validate": "analyses"}


def described(catalogue: Mapping[str, Any], kind: str, name: str) -> dict[str, Any]:
    """Return the entry of analysis `name` in the service's catalogue. Raises Refused if there is none."""
    entries: dict[str, dict[str, Any]] = {entry["name"]: entry for entry in catalogue.get(PARTS[kind], [])}
    if name not in entries:
        raise Refused(
            f"Unknown analysis “{name}”. Available: {', '.join(entries)}.",
            field="analysis",
            code="unknown_analysis",
            status=404,
        )
    return entries[name]


def by_id(params: Mapping[str, Any], entry: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return `params` with the ids of columns instead of their names.

    `entry` says which params are columns; `names` maps names to ids. Raises Refused for an unknown name.
    """
    schema = entry["params"]["properties"]
    inner = schema.get("options", {}).get("properties", {})
    return {
        key: {name: _id(one, name, inner.get(name, {}), names) for name, one in value.items()}
        if key == "options" and isinstance(value, dict)
        else _id(value, key, schema.get(key, {}), names)
        for key, value in params.items()
    }


def _id(value: Any, param: str, described: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    if "column" not in described:
        return value
    if isinstance(value, list):
        return [_id(one, param, described, names) for one in value]
    if isinstance(value, str) and value in names:
        return names[value]
    there = ", ".join(names)
    shortened = there if len(there) <= 300 else f"{there[:300]}…"
    raise Refused(f"{param}: unknown column “{value}”. Available: {shortened}.", field=param, code="unknown_column")


def ids_in(params: Mapping[str, Any], entry: Mapping[str, Any]) -> list[str]:
    """Return the ids of the columns that `params` name, each once, in their order."""
    schema = entry["params"]["properties"]
    inner = schema.get("options", {}).get("properties", {})

    def found() -> Iterator[Any]:
        for key, value in params.items():
            if key == "options" and isinstance(value, dict):
                yield from (one for name, one in value.items() if "column" in inner.get(name, {}))
            elif "column" in schema.get(key, {}):
                yield from value if isinstance(value, list) else [value]

    return list(dict.fromkeys(found()))
