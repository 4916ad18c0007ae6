/** Format a duration: "40 s", "12 min 40 s", "3 h 5 min", "2 d 4 h". At most two units, never negative. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return `${minutes} min ${seconds % 60} s`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Update each `<time data-since="ISO">` every second; with `data-until="ISO"` it shows the fixed duration. */
export function updateClocks(): void {
  const tick = () => {
    for (const clock of document.querySelectorAll<HTMLElement>("time[data-since]")) {
      const since = Date.parse(clock.dataset.since ?? "");
      const until = clock.dataset.until ? Date.parse(clock.dataset.until) : Date.now();
      const words = formatDuration(until - since);
      if (Number.isFinite(until - since) && clock.textContent !== words) clock.textContent = words;
    }
  };
  tick();
  setInterval(tick, 1000);
}
