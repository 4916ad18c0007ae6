import { pageOf, type Preview } from "./server";

/**
 * The pages in their pane. A newer preview takes the place of the one before page by page, where the reader is first.
 */
export class Pages {
  private shown = 0; // counts the previews that were shown

  constructor(private readonly region: HTMLElement) {}

  /** The page, from 1, that takes up the middle of the pane. */
  get looked(): number {
    const middle = this.region.scrollTop + this.region.clientHeight / 2;
    const images = this.images();
    const at = images.findIndex((image) => image.offsetTop - this.region.offsetTop + image.offsetHeight >= middle);
    return at < 0 ? Math.max(images.length, 1) : at + 1;
  }

  /** Show `preview`; resolves when the pages in sight are drawn. */
  async show(preview: Preview): Promise<void> {
    const turn = ++this.shown;
    const looked = Math.min(this.looked, preview.pages);
    const near = [looked, looked + 1, looked - 1].filter((number) => number >= 1 && number <= preview.pages);
    // Drawn before they are put in, so that no page is ever blank while one is read.
    await Promise.all(near.map((number) => drawn(pageOf(preview, number))));
    if (turn !== this.shown) return;
    const top = this.region.scrollTop;
    const images = this.images();
    for (const image of images.slice(preview.pages)) image.remove();
    for (let number = 1; number <= preview.pages; number++) {
      const image = images[number - 1] ?? this.region.appendChild(blank());
      image.alt = `Page ${number} of ${preview.pages}`;
      image.src = pageOf(preview, number);
    }
    this.region.scrollTop = top;
  }

  private images(): HTMLImageElement[] {
    return [...this.region.querySelectorAll("img")];
  }
}

function blank(): HTMLImageElement {
  const image = new Image(595, 842);
  image.loading = "lazy";
  image.decoding = "async";
  return image;
}

/** Fetch and decode a picture; one that cannot be drawn shows its words later. */
async function drawn(address: string): Promise<void> {
  const image = new Image();
  image.src = address;
  await image.decode().catch(() => undefined);
}
