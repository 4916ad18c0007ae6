const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  clock: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  hour: { hour: "2-digit", minute: "2-digit" },
  moment: { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "long", year: "numeric" },
};

/** Format a time in the reader's time zone: "14:32:05", "14:32", "21 November, 14:32" or "21 November 2026". */
export function localTime(iso: string, format: string, timeZone?: string): string | undefined {
  const moment = new Date(iso);
  const options = FORMATS[format];
  if (!options || Number.isNaN(moment.getTime())) return undefined;
  const parts = new Intl.DateTimeFormat("en-GB", { ...options, ...(timeZone ? { timeZone } : {}) }).format(moment);
  return parts.replace(" at ", ", ");
}

/** Show each `<time datetime data-show>`, which the server writes in UTC, in the reader's time zone. */
export function showLocalTimes(): void {
  const show = (time: HTMLTimeElement) => {
    const words = localTime(time.dateTime, time.dataset.show ?? "");
    if (words !== undefined && time.textContent !== words) time.textContent = words;
  };
  const showIn = (root: ParentNode) => root.querySelectorAll<HTMLTimeElement>("time[data-show]").forEach(show);
  showIn(document);
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) {
        if (node instanceof HTMLTimeElement) show(node);
        else if (node instanceof HTMLElement) showIn(node);
      }
    }
  }).observe(document.body, { childList: true, subtree: true });
}
