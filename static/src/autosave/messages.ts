import { localTime } from "../page/local-times";
import type { Held } from "./browser-store";
import { isClean, type Model } from "./state-machine";

/** What the line says of the text, and what stands below where more is to say or to do. */
export interface Said {
  state: "new" | "saved" | "saving" | "typing" | "offline" | "conflict";
  words: string;
  more?: { sentence: string; acts: Act[] };
}

export type Act = "sign-in" | "download" | "compare" | "again";

const DOWNLOAD: Act[] = ["download"];

/** `online`: what the browser believes of the network; `zone` is for tests. */
export function saidOf(model: Model, held: Held, online: boolean, zone?: string): Said {
  const { trouble, sent, asking, postponed } = model;
  const kept = held === "all";
  if ((asking && !asking.proposal) || postponed) {
    const acts: Act[] = kept ? ["compare"] : ["compare", "download"];
    return conflict(
      "Changed elsewhere. Compare",
      `The same paragraph was changed elsewhere. ${where(kept)} Nothing is saved over it until you have compared ` +
        `the two.`,
      acts,
    );
  }
  if (!isClean(model) && trouble) return ofTrouble(trouble, kept, online);
  const said: Said = sent
    ? { state: "saving", words: "Saving" }
    : isClean(model)
      ? savedAt(model, zone)
      : { state: "typing", words: "Not saved yet" };
  const refused = model.aside.some((one) => one.refused);
  if (refused)
    return {
      ...said,
      more: {
        sentence: "A text that you did not choose could not be put into the history. It is kept in this browser.",
        acts: [],
      },
    };
  return kept ? said : { ...said, more: ofStore(held) };
}

function ofTrouble(trouble: NonNullable<Model["trouble"]>, kept: boolean, online: boolean): Said {
  const acts: Act[] = kept ? [] : DOWNLOAD;
  switch (trouble.kind) {
    case "offline": {
      const words = online ? "No answer. Not saved yet" : "Offline. Not saved yet";
      const sentence = online
        ? `The server does not answer. ${where(kept)} It is saved by itself when the server answers again.`
        : `Offline. ${where(kept)} It is saved by itself when the network is back.`;
      return { state: "offline", words, more: { sentence, acts: [...acts, "again"] } };
    }
    case "signed-out":
      return conflict(
        "Signed out. Not saved yet",
        `You are signed out. ${where(kept)} Sign in again in the window that opens; here it goes on by itself.`,
        ["sign-in", ...acts],
      );
    case "someone-else":
      return conflict(
        "Not saved",
        `Somebody else has signed in in this browser. ${where(kept)} It is saved when you are signed in again as ` +
          `yourself.`,
        ["sign-in", "download"],
      );
    case "forbidden":
      return conflict("Not saved", `You may no longer write here. ${where(kept)} ${trouble.sentence}`.trim(), [
        "download",
        "again",
      ]);
    case "gone":
      return conflict("Not saved", `This section is no longer there, or no longer yours to see. ${where(kept)}`, [
        "download",
        "again",
      ]);
    case "refused":
      return conflict("Not saved", `${trouble.sentence} ${where(kept)}`, ["download", "again"]);
  }
}

function conflict(words: string, sentence: string, acts: Act[]): Said {
  return { state: "conflict", words, more: { sentence, acts } };
}

function where(kept: boolean): string {
  return kept
    ? "Your text is kept in this browser."
    : "Your text is in this window only: do not close it, or download it first.";
}

function savedAt({ savedAt: at }: Model, zone?: string): Said {
  if (!at) return { state: "new", words: "Nothing saved yet" };
  return { state: "saved", words: `Saved ${localTime(new Date(at).toISOString(), "hour", zone) ?? ""}` };
}

function ofStore(held: Held): NonNullable<Said["more"]> {
  const why = held === "full" ? "This browser’s store is full" : "This browser keeps nothing for this page";
  return {
    sentence: `${why}, so your text goes to the server only. Wait for “Saved” before you close the window.`,
    acts: DOWNLOAD,
  };
}

/** The short notice when what others wrote has come into the text. */
export function addedBy(names: readonly string[]): string {
  if (!names.length) return "Your changes from another window were added.";
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return `Changes of ${list} were added.`;
}
