// The manuscript (templates/thesis/manuscript.html): where one is, comments on the chapter that is read, the way from
// words to the editor and back.
import { ChapterText } from "./manuscript/chapter-text";
import { openCitationCards } from "./manuscript/citation-cards";
import { followReading } from "./manuscript/follow-reading";
import { openAtAddress } from "./manuscript/open-at-address";
import { offerOnSelection } from "./manuscript/selection-buttons";
import { connectComments } from "./side-panel/comments";

const panel = document.getElementById("beside");
const opened = document.getElementById(panel?.dataset.opened ?? "");
if (opened && panel) {
  const text = new ChapterText(opened);
  const showPanel = () => {
    if (panel.matches(":popover-open") || getComputedStyle(panel).display !== "none") return;
    panel.showPopover();
  };
  connectComments({ show: showPanel }, Promise.resolve(text));
  followReading(opened, (chapter) => text.open(chapter));
  offerOnSelection();
  // Whoever opens the form in the drawer after selecting words means these words.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || target.id !== "new-comment" || !target.open) return;
      const quote = target.querySelector<HTMLInputElement>("input[name=quote]");
      if (!quote?.value && text.anchor()) document.querySelector<HTMLElement>("[data-comments]")?.click();
    },
    true,
  );
}
openCitationCards();
openAtAddress();
