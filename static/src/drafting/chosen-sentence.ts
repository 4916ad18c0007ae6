/** A sentence as it was selected, with the text around it at that time. */
export interface Sentence {
  sentence: string;
  before: string;
  after: string;
}

const SENTENCE_END = /[.!?…]+["'”’)]*$|''$/;
const CITATIONS = String.raw`(?:[ ~]*\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\[\]]*\])*\{[^{}]*\})*`;
const LAST_CITATION = /\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^[\]]*\])*\{([^{}]*)\}$/;

/**
 * Cite `key` at the end of the sentence, before its full stop. An existing citation there gets the key added, or stays
 * as it is when it has the key. Return null when the sentence is not in `latex` word for word, or occurs several times
 * and its context does not tell which is meant. Mirrors thesis/find_support.py on the server.
 */
export function citeAfterSentence(latex: string, { sentence, before, after }: Sentence, key: string): string | null {
  const stop = SENTENCE_END.exec(sentence);
  const [head, end] = stop ? [sentence.slice(0, stop.index), stop[0]] : [sentence, ""];
  const places = [...latex.matchAll(new RegExp(escapeRegExp(head) + CITATIONS + escapeRegExp(end), "g"))];
  const similarity = places.map(
    (place) =>
      commonPrefixLength(reversed(latex.slice(0, place.index)), reversed(before)) +
      commonPrefixLength(latex.slice(place.index + place[0].length), after),
  );
  const best = Math.max(...similarity);
  const chosen =
    places.length < 2
      ? 0
      : best > 0 && similarity.filter((one) => one === best).length === 1
        ? similarity.indexOf(best)
        : -1;
  const place = places[chosen];
  if (!place) return null;
  const at = place.index + place[0].length - end.length;
  const lead = latex.slice(0, at).replace(/[ ~]+$/, "");
  const rest = latex.slice(at);
  const last = LAST_CITATION.exec(lead);
  if (!last) return `${lead}~\\cite{${key}}${rest}`;
  if (last[1]!.split(",").some((one) => one.trim() === key)) return latex;
  return `${lead.slice(0, -1)},${key}}${rest}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function commonPrefixLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

function reversed(text: string): string {
  return text.slice(-100).split("").reverse().join("");
}
