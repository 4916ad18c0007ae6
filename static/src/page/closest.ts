/** The element an event came from, or the nearest one around it, that matches `selector`. */
export function closest<E extends HTMLElement = HTMLElement>(event: Event, selector: string): E | null {
  return event.target instanceof Element ? event.target.closest<E>(selector) : null;
}
