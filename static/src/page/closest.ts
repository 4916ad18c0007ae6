/** Find the nearest element around an event's target, or the target itself, that matches `selector`. */
export function closest<E extends HTMLElement = HTMLElement>(event: Event, selector: string): E | null {
  return event.target instanceof Element ? event.target.closest<E>(selector) : null;
}
