// What is asked of the server: each answer is the outline anew, put in by htmx.

interface Htmx {
  ajax(verb: string, path: string, context: Record<string, unknown>): Promise<void>;
}

declare global {
  interface Window {
    htmx: Htmx;
  }
}

/**
 * POST `act` for the section at `at` ("/projects/…/sections/results/"). The open section stays open. Resolves once the
 * answer stands on the page, or the page has said why there is none (src/page/toasts.ts).
 */
export function change(
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
