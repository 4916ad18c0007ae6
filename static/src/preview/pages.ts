import { markPlace, type Box } from "../page/place-mark";
import { pageOf, type Preview } from "./server";

/** The page images of the preview. A newer preview replaces them page by page, starting where the reader is. */
export class Pages {
  private shown = 0; // number of previews shown so far

  constructor(private readonly region: HTMLElement) {}

  /** The page in the middle of the pane, counted from 1. */
  get currentPage(): number {
    const box = this.region.getBoundingClientRect();
    const images = this.images();
    const at = images.findIndex((image) => image.getBoundingClientRect().bottom >= box.top + box.height / 2);
    return at < 0 ? Math.max(images.length, 1) : at + 1;
  }

  /** Show `preview`; resolves when the visible pages are drawn. */
  async show(preview: Preview): Promise<void> {
    const version = ++this.shown;
    const current = Math.min(this.currentPage, preview.pages);
    const near = [current, current + 1, current - 1].filter((number) => number >= 1 && number <= preview.pages);
    // Decoded before they are inserted, so that the page being read never turns blank.
    await Promise.all(near.map((number) => decodeImage(pageOf(preview, number))));
    if (version !== this.shown) return;
    const top = this.region.scrollTop;
    const images = this.images();
    for (const image of images.slice(preview.pages)) image.parentElement?.remove();
    for (let number = 1; number <= preview.pages; number++) {
      const image = images[number - 1] ?? this.appendPage();
      image.alt = `Page ${number} of ${preview.pages}`;
      image.src = pageOf(preview, number);
    }
    this.region.scrollTop = top;
  }

  /** Scroll to a line of a page and mark it for a while. */
  mark(page: number, line: Box): void {
    const sheet = this.images()[page - 1]?.parentElement;
    if (sheet) markPlace(sheet, line);
  }

  /** Call `tell` with the page that is clicked, and the point in parts of its width and height. */
  onClick(tell: (page: number, x: number, y: number) => void): void {
    this.region.addEventListener("click", ({ target, offsetX, offsetY }) => {
      if (!(target instanceof HTMLImageElement)) return;
      tell(this.images().indexOf(target) + 1, offsetX / target.clientWidth, offsetY / target.clientHeight);
    });
  }

  private appendPage(): HTMLImageElement {
    const sheet = document.createElement("div");
    sheet.className = "sheet-beside";
    this.region.append(sheet);
    return sheet.appendChild(blankPage());
  }

  private images(): HTMLImageElement[] {
    return [...this.region.querySelectorAll("img")];
  }
}

function blankPage(): HTMLImageElement {
  const image = new Image(595, 842);
  image.loading = "lazy";
  image.decoding = "async";
  return image;
}

/** Fetch and decode an image; one that fails shows its alternative text later. */
async function decodeImage(address: string): Promise<void> {
  const image = new Image();
  image.src = address;
  await image.decode().catch(() => undefined);
}
