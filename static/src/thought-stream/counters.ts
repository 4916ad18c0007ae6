/** A counter as people read it: 412300 is "412,300"; words stay as they are. */
export function asText(value: unknown): string {
  return typeof value === "number" ? value.toLocaleString("en-GB") : String(value);
}

/**
 * Write counters into every `[data-counter="NAME"]` of the page: a meter or progress takes the number as its value, any
 * other element shows it.
 */
export function showCounters(counters: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(counters)) {
    if (typeof value !== "number" && typeof value !== "string") continue;
    for (const place of document.querySelectorAll<HTMLElement>(`[data-counter="${CSS.escape(name)}"]`)) {
      if (place instanceof HTMLMeterElement || place instanceof HTMLProgressElement) place.value = Number(value) || 0;
      else place.textContent = asText(value);
    }
  }
}
