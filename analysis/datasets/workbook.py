"""Excel workbooks as rows of cells, read in a separate process with limits (untrusted.sandbox)."""

from tempfile import TemporaryFile
from typing import Any

from analysis.datasets.table_layout import Grid, cleaned, remark, too_many_rows
from untrusted.errors import Unreadable
from untrusted.sandbox import NoAnswer, read_in_sandbox

SECONDS = 60


def read_workbook(data: bytes, known: dict[str, Any], most_rows: int) -> Grid:
    """Return the rows of one sheet of a workbook: the named one, else the first that is visible and not empty.

    Formulas are not computed: the value stored with each is used. Raises Unreadable.
    """
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            said = read_in_sandbox(
                file, "analysis.datasets.workbook_process", [known.get("sheet", ""), most_rows + 100], SECONDS
            )
        except NoAnswer as silent:
            raise Unreadable(
                "Reading this workbook took longer than a minute. "
                "Save the sheet that contains the data as CSV and upload that."
                if silent.was_late
                else "This workbook could not be read: it is damaged or has an unusual structure. "
                "Save it again as .xlsx, or as CSV, and upload that."
            ) from silent
        except OSError as error:
            raise Unreadable(
                "The server could not start reading this file. Try again later, or tell whoever runs this server."
            ) from error
    if "unreadable" in said:
        raise Unreadable(said["unreadable"])
    if said["left_out"]:
        raise Unreadable(
            too_many_rows(
                max(said["left_out"], *(one["rows"] for one in said["sheets"] if one["name"] == said["sheet"])),
                most_rows,
            )
        )
    grid = Grid([], [], {"sheet": said["sheet"]}, sheets=said["sheets"], typed=True)
    for row, number in zip(said["rows"], said["numbers"], strict=True):
        cells = [cleaned(text) for text in row]
        if any(cells):
            grid.rows.append(cells)
            grid.numbers.append(number)
    grid.merged = [tuple(one) for one in said["merged"]]
    _add_remarks(grid, said)
    return grid


def _add_remarks(grid: Grid, said: dict[str, Any]) -> None:
    others = [one["name"] for one in grid.sheets if one["name"] != said["sheet"]]
    if others and not said["was_asked"]:
        grid.remarks.append(
            remark(
                "note",
                "sheets",
                f"Sheet “{said['sheet']}” was read. You can also choose "
                f"{', '.join(f'“{name}”' for name in others[:5])}{' …' if len(others) > 5 else ''}.",
            )
        )
    if said["is_hidden"]:
        grid.remarks.append(remark("warning", "hidden", f"Sheet “{said['sheet']}” is hidden in the workbook."))
    if said["formulas"]:
        grid.remarks.append(
            remark(
                "note",
                "formulas",
                f"{said['formulas']:,} cells are formulas: the values stored with them in the workbook were read.",
            )
        )
    if said["without_value"]:
        cells = ", ".join(said["without_value"][:5])
        more = f" and {said['valueless'] - 5:,} more" if said["valueless"] > 5 else ""
        grid.remarks.append(
            remark(
                "error",
                "formula_without_value",
                f"{cells}{more}: formulas without a value, read as missing. "
                "Open the workbook in Excel, save it, and upload it again.",
            )
        )
    first = grid.numbers[0] if grid.numbers else 0
    if rows := [one[1] for one in grid.merged if one[3] > one[1] > first + 3]:
        grid.remarks.append(
            remark(
                "warning",
                "merged",
                "Some rows have merged cells: only the first cell has the value, the others are read as missing. "
                "Fill them in and upload the file again.",
                rows,
            )
        )
