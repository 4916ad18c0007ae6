"""What people said of the columns of an earlier version holds for columns of the same name, as far as it fits."""

from typing import TYPE_CHECKING, Any

from analysis.models import DatasetVersion

if TYPE_CHECKING:
    from analysis.datasets.reading import Table


def carry_over(version: DatasetVersion, table: "Table") -> None:
    """Propose for the columns of `table` what was confirmed for those of the same name in the last version that was."""
    from analysis.datasets.changes import changed

    last: DatasetVersion | None = (
        DatasetVersion.objects.filter(
            dataset=version.dataset_id, number__lt=version.number, state=DatasetVersion.State.READY
        )
        .order_by("-number")
        .first()
    )
    if last is None:
        return
    known = {one["name"]: one for one in last.columns}
    for place, column in enumerate(table.columns):
        before = known.get(column["name"])
        if before is None:
            continue
        wanted = _wanted(before, column)
        if not wanted:
            continue
        made = changed(column, wanted, table.frame[column["id"]], table.reading)
        if made is None or made.column["bad"]:
            continue
        if made.cells is not None:
            table.frame[column["id"]] = made.cells
        reason = f"As it was confirmed in version {last.number}."
        made.column["proposed"] = {
            "type": made.column["type"],
            "level_of_measurement": made.column["level_of_measurement"],
            "reason": reason,
            "is_sure": True,
        }
        table.columns[place] = made.column
        table.summary[column["id"]] = made.summary
        table.remarks[:] = [
            one
            for one in table.remarks
            if one.get("column") != column["id"] or one["code"] in ("personal", "missing", "blank_name", "same_name")
        ]


def _wanted(before: dict[str, Any], column: dict[str, Any]) -> dict[str, Any]:
    """What differs between a column as it was confirmed and as it is proposed now."""
    wanted = {
        name: before[name]
        for name in ("label", "unit", "type", "level_of_measurement")
        if before.get(name) and before[name] != column.get(name)
    }
    missing = sorted({*before["missing"], *column["missing"]})
    if missing != column["missing"]:
        wanted["missing"] = missing
    levels = [one for one in before["levels"] if one in column["levels"]]
    levels += [one for one in column["levels"] if one not in levels]
    if levels and levels != column["levels"]:
        wanted["levels"] = levels
    return wanted
