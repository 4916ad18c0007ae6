import { closest } from "./closest";

/** Switch the theme with `[data-theme-choice="light|dark|system"]`. The choice is stored; theme.ts reads it. */
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
    // Without storage the choice lasts for this page.
  }
  mark(theme);
}

function mark(theme: string): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-theme-choice]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  }
}
