/**
 * Empty `[data-plain-rows]` before htmx replaces it. Nothing in these rows has an attribute of htmx, but htmx would
 * send two events for each of their elements, which takes longer than all the rest. Call it after what reads the rows
 * at the same event.
 */
export function emptyPlainRows(): void {
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, shouldSwap } = (event as CustomEvent<{ target: HTMLElement; shouldSwap: boolean }>).detail;
    if (!shouldSwap) return;
    for (const rows of target.querySelectorAll("[data-plain-rows]"))
      if (!rows.contains(document.activeElement)) rows.replaceChildren(); // htmx finds the focus again by its id
  });
}
