// The viewer of a built PDF (templates/thesis/pdf.html): its page number, zoom, and the way from its words to the text.
import { markPlace } from "./page/place-mark";
import { followPages } from "./pdf-viewer/follow-pages";
import { offerAtWords } from "./pdf-viewer/offer-at-words";
import { setUpZoom } from "./pdf-viewer/zoom";
import { loadAllWords } from "./pdf-viewer/load-words";

const pages = document.querySelector<HTMLElement>("[data-pages]");
if (pages) {
  setUpZoom(pages);
  followPages(pages);
  offerAtWords(pages);
  const [page, left, top, width, height] = (pages.dataset.shown ?? "").split(" ").map(Number);
  const sheet = document.querySelector<HTMLElement>(`#page-${page ?? 0} .pdf-sheet`);
  if (sheet) markPlace(sheet, { left: left!, top: top!, width: width!, height: height! });
  loadAllWords(pages);
}
