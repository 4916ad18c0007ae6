import { closest } from "./closest";

/** Buttons `[data-theme-choice="light|dark|system"]`: the choice is kept in this browser (theme.ts reads it). */
export function switchTheme(): void {
  document.addEventListener("click", (event) => {
    const choice = closest(event, "[data-theme-choice]")?.dataset.themeChoice;
    if (choice) choose(choice);
  });
  mark(document.documentElement.dataset.theme ?? "system");
}

function choose(theme: string): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // Storage is forbidden here: the choice holds for this page.
  }
  mark(theme);
}

function mark(theme: string): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  }
}
