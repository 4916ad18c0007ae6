/** A box on a page, in parts of its width and height. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const SHOWN = 4_000; // ms

/** Scroll to a box on a page and mark it for a while. `sheet` is positioned and has the size of the page. */
export function markPlace(sheet: HTMLElement, { left, top, width, height }: Box): void {
  const mark = document.createElement("div");
  mark.className = "place-mark";
  for (const [name, part] of Object.entries({ left, top, width, height }))
    mark.style.setProperty(name, `${part * 100}%`);
  sheet.querySelector(".place-mark")?.remove();
  sheet.append(mark);
  // Pages above may still get their height.
  requestAnimationFrame(() => requestAnimationFrame(() => mark.scrollIntoView({ block: "center", inline: "nearest" })));
  setTimeout(() => mark.remove(), SHOWN);
}
