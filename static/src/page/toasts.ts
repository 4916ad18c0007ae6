import { closest } from "./closest";

const STAYS = 8000; // ms; longer while pointed at or focused

/**
 * A `.toast` goes after eight seconds, a `.notice` stays; `[data-dismiss]` closes the one around it. A server adds one
 * to an htmx answer by the header HX-Trigger: {"toast": {"text": "Saved."}}. What htmx could not send or get is said
 * too.
 */
export function showToasts(): void {
  document.addEventListener("click", (event) => {
    if (closest(event, "[data-dismiss]")) closest(event, ".toast, .notice")?.remove();
  });
  document.querySelectorAll<HTMLElement>(".toasts > .toast").forEach(leaveLater);

  document.addEventListener("toast", (event) => {
    const { text } = (event as CustomEvent<{ text?: string }>).detail;
    if (text) add("toast", text);
  });
  document.addEventListener("htmx:sendError", () =>
    add("notice", "The server does not answer. Nothing is lost; try again in a moment."),
  );
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = (event as CustomEvent<{ xhr: XMLHttpRequest }>).detail.xhr;
    add("notice", SAID[status] ?? "Something went wrong on our side. Nothing was changed.");
  });
}

const SAID: Record<number, string> = {
  401: "You are signed out. Sign in again in another tab; this page stays as it is.",
  403: "You may look at this, but not change it.",
  404: "This is no longer there. Reload the page to see what is.",
  413: "This is larger than the server takes.",
};

function add(kind: "toast" | "notice", text: string): void {
  // Said once, however often a page that asks every second gets no answer.
  const said = [...document.querySelectorAll(`.toasts > .${kind} [data-text]`)].some(
    (words) => words.textContent === text,
  );
  if (kind === "notice" && said) return;
  const model = document.querySelector<HTMLTemplateElement>(`#a-${kind}`);
  const box = document.querySelector(".toasts");
  const made = model?.content.firstElementChild?.cloneNode(true);
  if (!(made instanceof HTMLElement) || !box) return;
  const words = made.querySelector("[data-text]");
  if (words) words.textContent = text;
  box.append(made);
  if (kind === "toast") leaveLater(made);
}

function leaveLater(toast: HTMLElement): void {
  setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) leaveLater(toast);
    else toast.remove();
  }, STAYS);
}
