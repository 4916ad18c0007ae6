import { closest } from "./closest";

const DURATION = 8000; // ms; longer while pointed at or focused

/**
 * Show toasts and notices. A `.toast` disappears after eight seconds, a `.notice` stays; `[data-dismiss]` closes the
 * one around it. The server adds a toast to an htmx answer with the header HX-Trigger: {"toast": {"text": "Saved."}}.
 * Failed htmx requests are shown as notices.
 */
export function showToasts(): void {
  document.addEventListener("click", (event) => {
    if (closest(event, "[data-dismiss]")) closest(event, ".toast, .notice")?.remove();
  });
  document.querySelectorAll<HTMLElement>(".toasts > .toast").forEach(removeLater);

  document.addEventListener("toast", (event) => {
    const { text } = (event as CustomEvent<{ text?: string }>).detail;
    if (text) show("toast", text);
  });
  document.addEventListener("htmx:sendError", () =>
    show("notice", "The server is not responding. No data was lost; try again in a moment."),
  );
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail.xhr;
    show("notice", STATUS_MESSAGES[status] ?? "Something went wrong on the server. Nothing was changed.");
  });
}

const STATUS_MESSAGES: Record<number, string> = {
  401: "You are signed out. Sign in again in another tab; this page stays as it is.",
  403: "You can view this but not change it.",
  404: "This no longer exists. Reload the page.",
  413: "This is larger than the server accepts.",
};

function show(kind: "toast" | "notice", text: string): void {
  // Shown once, even when a page that polls every second gets no answer for long.
  const isShown = [...document.querySelectorAll(`.toasts > .${kind} [data-text]`)].some(
    (words) => words.textContent === text,
  );
  if (kind === "notice" && isShown) return;
  const model = document.querySelector<HTMLTemplateElement>(`#a-${kind}`);
  const box = document.querySelector(".toasts");
  const element = model?.content.firstElementChild?.cloneNode(true);
  if (!(element instanceof HTMLElement) || !box) return;
  const words = element.querySelector("[data-text]");
  if (words) words.textContent = text;
  box.append(element);
  if (kind === "toast") removeLater(element);
}

function removeLater(toast: HTMLElement): void {
  setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) removeLater(toast);
    else toast.remove();
  }, DURATION);
}
