const CHOICE = "scholium:beside"; // localStorage key of the panel chosen last
const BELOW_TEXT = "(width < 68rem)"; // windows where the panels stand below the text (layouts-narrow.css)

/** The tabs of the side panels. */
export interface Tabs {
  /** Show the panel with this id and remember it. */
  show(panel: string): void;
  readonly shown: string;
}

/**
 * Turn the links `[data-shows=ID]` of `<nav data-beside>` into tabs of the panels with these ids. The last choice is
 * remembered; `?beside=comments` in the address selects a panel. `beside-shown` is dispatched on the content of a panel
 * when it is shown; the hidden history panel does not poll.
 */
export function setUpTabs(): Tabs | undefined {
  const nav = document.querySelector<HTMLElement>("nav[data-beside]");
  if (!nav) return undefined;
  const tabs = [...nav.querySelectorAll<HTMLAnchorElement>("a[data-shows]")];
  const panelOf = (tab: HTMLAnchorElement) => document.getElementById(tab.dataset.shows ?? "");

  nav.setAttribute("role", "tablist");
  for (const tab of tabs) {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", tab.dataset.shows ?? "");
    tab.removeAttribute("aria-current");
    panelOf(tab)?.setAttribute("role", "tabpanel");
    panelOf(tab)?.setAttribute("aria-labelledby", tab.id);
  }

  const show = (id: string): void => {
    const chosen = tabs.find((tab) => tab.dataset.shows === id) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      const panel = panelOf(tab);
      if (panel) panel.hidden = tab !== chosen;
    }
    const panel = chosen && panelOf(chosen);
    // The loaded content listens for the event; before it is loaded, the panel itself does.
    (panel?.firstElementChild ?? panel)?.dispatchEvent(new CustomEvent("beside-shown"));
  };
  const choose = (id: string): void => {
    show(id);
    try {
      localStorage.setItem(CHOICE, id);
    } catch {
      // Without storage the first panel is shown each time.
    }
  };

  nav.addEventListener("click", (event) => {
    const tab = (event.target as Element).closest<HTMLAnchorElement>("a[data-shows]");
    if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(tab.dataset.shows ?? "");
  });
  nav.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(event.target as HTMLAnchorElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const tab = at < 0 || to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (event.key === " " && at >= 0) choose(tabs[at]!.dataset.shows ?? "");
    else if (tab) {
      choose(tab.dataset.shows ?? "");
      tab.focus();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const panel = (event.target as Element).closest<HTMLElement>("[role=tabpanel]");
    const first = event.target === panel;
    if (panel?.id === "beside-history" && panel.hidden && !first) event.preventDefault();
  });
  // The history groups versions by day in the reader's time zone.
  document.addEventListener("htmx:configRequest", (event) => {
    const { path, parameters } = (event as CustomEvent<{ path: string; parameters: Record<string, string> }>).detail;
    if (/\/history\/(\?|$)/.test(path)) parameters.zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });

  const start = () => {
    const asked = panelFromAddress();
    show(asked ?? storedPanel() ?? "");
    if (!asked || !matchMedia(BELOW_TEXT).matches) return;
    const toPanel = () => nav.scrollIntoView({ block: "start" });
    toPanel();
    // Once more when the panel has its content: the browser keeps in view what is below the panel.
    document.getElementById(asked)?.addEventListener("htmx:afterSettle", toPanel, { once: true });
  };
  // htmx listens only after the document has loaded, so the first panel is requested then.
  if (document.readyState === "complete") start();
  else window.addEventListener("load", start, { once: true });
  return {
    show: choose,
    get shown(): string {
      return tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.dataset.shows ?? "";
    },
  };
}

function panelFromAddress(): string | undefined {
  const name = new URLSearchParams(location.search).get("beside");
  return name ? `beside-${name}` : undefined;
}

function storedPanel(): string | undefined {
  try {
    return localStorage.getItem(CHOICE) ?? undefined;
  } catch {
    return undefined;
  }
}
