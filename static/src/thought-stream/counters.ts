/** Format a counter: 412300 becomes "412,300"; text stays as it is. */
export function formatCounter(value: unknown): string {
  return typeof value === "number" ? value.toLocaleString("en-GB") : String(value);
}

/** Write the counters into every `[data-counter="NAME"]`: as the value of a meter or progress, else as text. */
export function showCounters(counters: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(counters)) {
    if (typeof value !== "number" && typeof value !== "string") continue;
    for (const place of document.querySelectorAll<HTMLElement>(`[data-counter="${CSS.escape(name)}"]`)) {
      if (place instanceof HTMLMeterElement || place instanceof HTMLProgressElement) place.value = Number(value) || 0;
      else place.textContent = formatCounter(value);
    }
  }
}
