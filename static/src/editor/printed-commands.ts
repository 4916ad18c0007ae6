/** How a piece of LaTeX is set, as HTML from the server; "" when it can only be shown as LaTeX. */
type Draw = (html: string) => void;

const PAUSE = 60; // ms in which the pieces of a text are gathered, so that they are asked for together
const MOST = 200; // pieces of a request
const LONGEST = 500; // characters of a piece

/** Short pieces of LaTeX as the words they print: \SI{40}{\percent}, commands of the thesis itself. Asked for once. */
class PrintedCommands {
  private known = new Map<string, string>();
  private waiting = new Map<string, Draw[]>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private editor: HTMLElement | null = null;

  /** Set the `<section-editor>`, whose section is asked for. Commands may have changed since another one was open. */
  of(editor: HTMLElement): void {
    this.editor = editor;
    this.known.clear();
  }

  /** Call `draw` with the set form of `latex`, now or when it is there; never when it cannot be set. */
  show(latex: string, draw: Draw): void {
    const html = this.known.get(latex);
    if (html) return draw(html);
    if (html === "" || !this.editor || latex.length > LONGEST || !/^\\[A-Za-z]|^\{/.test(latex)) return;
    this.waiting.set(latex, [...(this.waiting.get(latex) ?? []), draw]);
    this.timer ??= setTimeout(() => void this.ask(), PAUSE);
  }

  private async ask(): Promise<void> {
    this.timer = undefined;
    const asked = [...this.waiting].slice(0, MOST);
    for (const [latex] of asked) this.waiting.delete(latex);
    if (this.waiting.size) this.timer = setTimeout(() => void this.ask(), PAUSE);
    const token = this.editor?.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
    try {
      const response = await fetch(`/api/sections/${this.editor?.getAttribute("section")}/printed-commands`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": token },
        body: JSON.stringify({ pieces: asked.map(([latex]) => latex) }),
      });
      if (!response.ok) return;
      const { pieces } = (await response.json()) as { pieces: string[] };
      for (const [place, [latex, draws]] of asked.entries()) {
        this.known.set(latex, pieces[place] ?? "");
        if (pieces[place]) for (const draw of draws) draw(pieces[place]);
      }
    } catch {
      // Without the server they stay as LaTeX; the next text asks again.
    }
  }
}

export const printedCommands = new PrintedCommands();
