/**
 * `<a data-pops="ID" hx-target="#ID">`: what htmx brings is shown in the popover ID, beside the link that
 * asked. The focus goes in and, on closing, back; without script the link leads to a page of its own.
 */
export function showWhatArrives(): void {
  let opener: HTMLElement | undefined;

  document.addEventListener("htmx:afterSwap", (event) => {
    const { target, requestConfig } = (
      event as CustomEvent<{ target: HTMLElement; requestConfig: { elt: HTMLElement } }>
    ).detail;
    const asked = requestConfig.elt;
    if (!target.popover || asked.dataset.pops !== target.id) return;
    if (target.matches(":popover-open")) target.hidePopover();
    opener?.classList.remove("open");
    opener = asked;
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
      // Its place may have been renewed meanwhile: then the focus goes to what stands there under its id.
      const back = opener.isConnected ? opener : document.getElementById(opener.id);
      if (popover.contains(document.activeElement) || document.activeElement === document.body) back?.focus();
      opener = undefined;
    },
    true,
  );
}
