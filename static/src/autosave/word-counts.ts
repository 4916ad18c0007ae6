/** Update the word counts of section and thesis, `[data-count]`, after each save. `words` is the first count. */
export function showCounts(words: number): void {
  let last = words;
  document.body.addEventListener("section-saved", (event) => {
    const { words: now } = (event as CustomEvent<{ words: number }>).detail;
    const grown = now - last;
    last = now;
    for (const place of document.querySelectorAll<HTMLElement>("[data-count]")) {
      const before = Number((place.firstChild?.textContent ?? "").replace(/\D/g, ""));
      const count = place.dataset.count === "section" ? now : Math.max(0, before + grown);
      const unit = document.createElement("small");
      unit.textContent = count === 1 ? "word" : "words";
      place.replaceChildren(`${count.toLocaleString("en-GB")} `, unit);
    }
  });
}
