import { el } from "../cite-dialog/render";
import type { Control } from "./popover";

/** A sign of formulas: what the button shows, its name, and its LaTeX. The caret goes to `|`. */
interface Sign {
  shown: string;
  name: string;
  latex: string;
}

const SHAPES: Sign[] = [
  { shown: "a⁄b", name: "Fraction", latex: "\\frac{|}{}" },
  { shown: "x²", name: "Power", latex: "^{|}" },
  { shown: "x₁", name: "Index", latex: "_{|}" },
  { shown: "√", name: "Square root", latex: "\\sqrt{|}" },
  { shown: "x̄", name: "Mean", latex: "\\bar{|}" },
];
const SIGNS: Sign[] = [
  { shown: "≤", name: "Less than or equal", latex: "\\leq " },
  { shown: "≥", name: "Greater than or equal", latex: "\\geq " },
  { shown: "±", name: "Plus or minus", latex: "\\pm " },
  { shown: "×", name: "Times", latex: "\\times " },
  { shown: "≠", name: "Not equal", latex: "\\neq " },
  { shown: "≈", name: "About", latex: "\\approx " },
  { shown: "·", name: "Times, as a dot", latex: "\\cdot " },
  { shown: "→", name: "Arrow to the right", latex: "\\to " },
  { shown: "∑", name: "Sum", latex: "\\sum " },
  { shown: "∞", name: "Infinity", latex: "\\infty " },
];
const GREEK =
  "α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi " +
  "ρ rho σ sigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma " +
  "Φ Phi Ψ Psi Ω Omega";
const LETTERS = [...GREEK.matchAll(/(\S+) (\S+)/g)].map(([, shown, name]): Sign => {
  return { shown: shown!, name: name!.replace("var", ""), latex: `\\${name} ` };
});
const TYPED = new Map([...SIGNS, ...LETTERS].map(({ shown, latex }) => [shown, latex]));
for (const [sign, latex] of ["−-", "⋅\\cdot ", "←\\leftarrow ", "⇒\\Rightarrow ", "µ\\mu "].map((one) => [
  one[0]!,
  one.slice(1),
]))
  TYPED.set(sign!, latex!);

/** Replace signs typed as characters by their commands, since not every thesis can print them in a formula. */
export function withCommands(latex: string): string {
  const signs = [...latex];
  return signs
    .map((sign, at) => {
      const command = TYPED.get(sign);
      return command && !/[A-Za-z]/.test(signs[at + 1] ?? "") ? command.trimEnd() : (command ?? sign);
    })
    .join("");
}

/** Create the field of a formula: its LaTeX, with buttons for common signs. Enter is done, Tab goes to the next gap. */
export function formulaField(value: string, changed: (value: string) => void, id: string): Control {
  const box = document.createElement("textarea");
  Object.assign(box, { id, value, className: "source", spellcheck: false, autocomplete: "off", autocapitalize: "off" });
  box.dataset.enter = "done";
  const insert = (latex: string): void => {
    const chosen = box.value.slice(box.selectionStart, box.selectionEnd);
    const text =
      latex.startsWith("\\") && latex.includes("|") ? latex.replace("|", () => `${chosen}|`) : chosen + latex;
    const caret = text.indexOf("|");
    const start = box.selectionStart;
    box.setRangeText(text.replace("|", ""), start, box.selectionEnd, "end");
    if (caret >= 0) {
      // a fraction of the chosen words goes on below the line
      const gap = chosen ? text.indexOf("{}", caret) : -1;
      const at = start + (gap >= 0 ? gap : caret);
      box.setSelectionRange(at, at);
    }
    box.focus();
    changed(box.value);
  };
  const buttons = [...SHAPES, ...SIGNS].map(({ shown, name, latex }) => {
    const button = el("button", { type: "button", class: "btn btn-quiet btn-small", title: name });
    button.setAttribute("aria-label", `${name}, ${shown}`);
    button.append(shown);
    button.addEventListener("click", () => insert(latex));
    return button;
  });
  const letters = el("select", { class: "btn btn-quiet btn-small", "aria-label": "Greek letter" }) as HTMLSelectElement;
  letters.append(
    new Option("α β γ …", ""),
    ...LETTERS.map(({ shown, name, latex }) => new Option(`${shown} ${name}`, latex)),
  );
  letters.addEventListener("change", () => {
    if (letters.value) insert(letters.value);
    letters.value = "";
  });
  box.addEventListener("input", () => changed(box.value));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || event.shiftKey) return;
    const gap = box.value.indexOf("{}", box.selectionEnd);
    if (gap < 0) return;
    event.preventDefault();
    box.setSelectionRange(gap + 1, gap + 1);
  });
  const signs = el("div", { class: "signs", role: "group", "aria-label": "Signs" }, ...buttons, letters);
  const focus = (): void => {
    box.focus();
    box.select();
  };
  return { dom: el("div", { class: "formula-field" }, box, signs), focus };
}
