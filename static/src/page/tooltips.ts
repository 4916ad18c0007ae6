const DELAY = 450; // ms

/**
 * Show the name and the keys of a button with an icon, or with a key, while the pointer rests on it or the keyboard has
 * reached it. Escape closes it; the pointer can move onto it.
 */
export function showTooltips(): void {
  const tip = document.createElement("div");
  tip.className = "tooltip";
  tip.popover = "manual";
  tip.ariaHidden = "true"; // the name and the keys are the button's own
  let on: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const hide = () => {
    clearTimeout(timer);
    on = null;
    if (tip.matches(":popover-open")) tip.hidePopover();
  };
  const show = (button: HTMLElement) => {
    if (!button.isConnected || button !== on) return;
    tip.replaceChildren(...wordsOf(button));
    (button.closest("dialog[open]") ?? document.body).append(tip);
    tip.showPopover();
    const [around, { width, height }] = [button.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = Math.max(4, Math.min(around.left + (around.width - width) / 2, innerWidth - width - 4));
    const below = around.bottom + 6 + height < innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${below ? around.bottom + 6 : around.top - height - 6}px`;
  };
  const rest = (button: HTMLElement | null, delay: number) => {
    if (button === on) return;
    hide();
    on = button;
    if (button) timer = setTimeout(() => show(button), delay);
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || (event.target instanceof Node && tip.contains(event.target))) return;
    rest(buttonAt(event.target), DELAY);
  });
  document.addEventListener("focusin", (event) => {
    const button = buttonAt(event.target);
    rest(button?.matches(":focus-visible") ? button : null, DELAY);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", hide, true);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("keydown", hide, true);
}

function buttonAt(target: EventTarget | null): HTMLElement | null {
  const button = target instanceof Element ? target.closest<HTMLElement>("button, a, summary") : null;
  return button?.matches(".btn-icon:not([title]), [aria-keyshortcuts]") ? button : null;
}

function wordsOf(button: HTMLElement): (string | HTMLElement)[] {
  const name = button.getAttribute("aria-label") ?? button.textContent?.trim().replace(/\s+/g, " ") ?? "";
  const keys = (button.getAttribute("aria-keyshortcuts") ?? "").split(" ").filter(Boolean);
  return [name, ...keys.map(keyElement)];
}

/** Return the element of a key: "Control+Alt+M" is written Ctrl+Alt+M, and ⌘ for Ctrl on a Mac. */
function keyElement(key: string): HTMLElement {
  const element = document.createElement("kbd");
  element.textContent = key.replace("Control", navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl");
  return element;
}
