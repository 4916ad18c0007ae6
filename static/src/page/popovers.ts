/**
 * Show what htmx loads for `<a data-pops="ID" hx-target="#ID">` in the popover ID. The focus moves into the popover and
 * back when it closes. Without scripts the link leads to its own page.
 */
export function showInPopovers(): void {
  let opener: HTMLElement | undefined;

  document.addEventListener("htmx:afterSwap", (event) => {
    const { target, requestConfig } = (
      event as CustomEvent<{ target: HTMLElement; requestConfig: { elt: HTMLElement } }>
    ).detail;
    const link = requestConfig.elt;
    if (!target.popover || link.dataset.pops !== target.id) return;
    if (target.matches(":popover-open")) target.hidePopover();
    opener?.classList.remove("open");
    opener = link;
    opener.classList.add("open");
    target.showPopover();
    target.tabIndex = -1;
    target.focus();
  });

  document.addEventListener(
    "toggle",
    (event) => {
      const popover = event.target as HTMLElement;
      if ((event as ToggleEvent).newState !== "closed" || opener?.dataset.pops !== popover.id) return;
      opener.classList.remove("open");
      // The link may have been replaced meanwhile; then the element with its id gets the focus.
      const back = opener.isConnected ? opener : document.getElementById(opener.id);
      if (popover.contains(document.activeElement) || document.activeElement === document.body) back?.focus();
      opener = undefined;
    },
    true,
  );
}
