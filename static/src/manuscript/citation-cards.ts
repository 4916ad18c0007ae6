/**
 * Open the card of a citation in the popover #card. One listener for all: a thesis has a thousand citations, and htmx
 * would set up each. Without scripts the link leads to the reference's page.
 */
export function openCitationCards(): void {
  document.getElementById("manuscript")?.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.cite[href]") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    link.dataset.pops = "card"; // page/popovers.ts shows it
    void window.htmx.ajax("get", `${link.pathname}card/`, { source: link, target: "#card", swap: "innerHTML" });
  });
}
