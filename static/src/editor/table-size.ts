import { el } from "../cite-dialog/render";

const [MOST_ROWS, MOST_COLUMNS] = [10, 8];

/**
 * Connect the size picker of templates/sections/_editor_toolbar.html: a grid in which the pointer or the arrow keys
 * choose the rows and columns of a new table. It is one button, whose name says the size.
 */
export function connectTableSize(menu: HTMLElement, insert: (rows: number, columns: number) => void): () => void {
  const grid = menu.querySelector<HTMLElement>("[data-part=size-grid]")!;
  const said = menu.querySelector<HTMLElement>("[data-part=size-said]")!;
  const cells = Array.from({ length: MOST_ROWS * MOST_COLUMNS }, () => el("span", {}));
  grid.replaceChildren(...cells);
  let [rows, columns] = [3, 3];
  const draw = (): void => {
    cells.forEach((cell, place) =>
      cell.toggleAttribute("data-on", Math.floor(place / MOST_COLUMNS) < rows && place % MOST_COLUMNS < columns),
    );
    const words = `${rows} ${rows === 1 ? "row" : "rows"}, ${columns} ${columns === 1 ? "column" : "columns"}`;
    grid.setAttribute("aria-label", `Insert a table of ${words}`);
    said.textContent = words;
  };
  const choose = (place: number): void => {
    if (place < 0) return;
    [rows, columns] = [Math.floor(place / MOST_COLUMNS) + 1, (place % MOST_COLUMNS) + 1];
    draw();
  };
  grid.addEventListener("pointermove", (event) => choose(cells.indexOf(event.target as HTMLElement)));
  grid.addEventListener("click", (event) => {
    choose(cells.indexOf(event.target as HTMLElement)); // a finger does not hover
    menu.hidePopover();
    insert(rows, columns);
  });
  grid.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[
      event.key
    ] ?? [0, 0];
    if (!down && !right) return;
    event.preventDefault();
    rows = Math.max(1, Math.min(MOST_ROWS, rows + down!));
    columns = Math.max(1, Math.min(MOST_COLUMNS, columns + right!));
    draw();
  });
  return () => {
    [rows, columns] = [3, 3];
    draw();
  };
}
