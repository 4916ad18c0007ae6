// Requests that change the outline. The server answers with the new outline, which htmx swaps in.

interface Htmx {
  ajax(verb: string, path: string, context: Record<string, unknown>): Promise<void>;
  process(element: Element): void;
}

declare global {
  interface Window {
    htmx: Htmx;
  }
}

/** Let htmx handle `element` from now on. It does so itself a moment after a swap; a quick Enter comes before that. */
export function handleNow(element: Element): void {
  window.htmx.process(element);
}

/**
 * POST the action `act` for the section at `at` ("/projects/…/sections/results/"). The open section stays open.
 * Resolves when the answer is on the page, or when page/toasts.ts has shown why there is none.
 */
export function postChange(
  panel: HTMLElement,
  at: string,
  act: string,
  values: Record<string, string> = {},
): Promise<void> {
  const open = panel.querySelector<HTMLElement>("#outline")?.dataset["open"] ?? "";
  const sent = window.htmx.ajax("POST", `${at}${act}/?open=${encodeURIComponent(open)}`, {
    source: panel,
    target: "#outline",
    swap: "outerHTML",
    values,
  });
  return sent.catch(() => undefined);
}
