const CHOICE = "scholium:beside"; // which panel the person chose last, in localStorage

export interface Tabs {
  /** Show the panel with this id, and remember it. */
  show(panel: string): void;
  readonly shown: string;
}

/**
 * `<nav data-beside>` of links `[data-shows=ID]`: tabs of the panels with these ids. Which one was shown last is
 * remembered; `?beside=comments` in the address chooses one. The body of a panel that is shown hears `beside-shown`,
 * and one that is not asks the server for nothing but its first content.
 */
export function besideTabs(): Tabs | undefined {
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
    // The panel's first child listens once it is there; before that the panel itself does.
    (panel?.firstElementChild ?? panel)?.dispatchEvent(new CustomEvent("beside-shown"));
  };
  const choose = (id: string): void => {
    show(id);
    try {
      localStorage.setItem(CHOICE, id);
    } catch {
      // A browser that keeps nothing shows the first panel each time.
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
  // The days of the history are those of the reader.
  document.addEventListener("htmx:configRequest", (event) => {
    const { path, parameters } = (event as CustomEvent<{ path: string; parameters: Record<string, string> }>).detail;
    if (/\/history\/(\?|$)/.test(path)) parameters.zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });

  const start = () => show(asked() ?? remembered() ?? "");
  // htmx listens once the document is there: the panel that is shown first is asked for then.
  if (document.readyState === "complete") start();
  else window.addEventListener("load", start, { once: true });
  return {
    show: choose,
    get shown(): string {
      return tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.dataset.shows ?? "";
    },
  };
}

function asked(): string | undefined {
  const name = new URLSearchParams(location.search).get("beside");
  return name ? `beside-${name}` : undefined;
}

function remembered(): string | undefined {
  try {
    return localStorage.getItem(CHOICE) ?? undefined;
  } catch {
    return undefined;
  }
}
