/** A sentence of a text as it was chosen, with what stood around it then. */
export interface Sentence {
  sentence: string;
  before: string;
  after: string;
}

const STOP = /[.!?…]+["'”’)]*$|''$/;
const CITED = String.raw`(?:[ ~]*\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\[\]]*\])*\{[^{}]*\})*`;
const LAST = /\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^[\]]*\])*\{([^{}]*)\}$/;

/**
 * `latex` with `key` cited behind the sentence, before its full stop, or with it among the keys that are cited there;
 * as it was where it is among them. Null where the sentence does not stand in the text word for word, or more than once
 * with nothing to tell which is meant. The same as thesis/support.py does on the server.
 */
export function citedBehind(latex: string, { sentence, before, after }: Sentence, key: string): string | null {
  const stop = STOP.exec(sentence);
  const [head, end] = stop ? [sentence.slice(0, stop.index), stop[0]] : [sentence, ""];
  const places = [...latex.matchAll(new RegExp(quoted(head) + CITED + quoted(end), "g"))];
  const alike = places.map(
    (place) =>
      common(reversed(latex.slice(0, place.index)), reversed(before)) +
      common(latex.slice(place.index + place[0].length), after),
  );
  const best = Math.max(...alike);
  const chosen =
    places.length < 2 ? 0 : best > 0 && alike.filter((one) => one === best).length === 1 ? alike.indexOf(best) : -1;
  const place = places[chosen];
  if (!place) return null;
  const at = place.index + place[0].length - end.length;
  const lead = latex.slice(0, at).replace(/[ ~]+$/, "");
  const rest = latex.slice(at);
  const last = LAST.exec(lead);
  if (!last) return `${lead}~\\cite{${key}}${rest}`;
  if (last[1]!.split(",").some((one) => one.trim() === key)) return latex;
  return `${lead.slice(0, -1)},${key}}${rest}`;
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function common(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

function reversed(text: string): string {
  return text.slice(-100).split("").reverse().join("");
}
