import { localTime } from "../page/local-times";
import type { StorageState } from "./journal-writer";
import { isClean, type Model } from "./state-machine";

/** The save state shown above the text, and the notice below it when there is more to say or do. */
export interface SaveMessage {
  state: "new" | "saved" | "saving" | "typing" | "offline" | "conflict";
  words: string;
  notice?: { sentence: string; actions: SaveAction[] };
}

/** An action offered in the notice. */
export type SaveAction = "sign-in" | "download" | "compare" | "again";

const DOWNLOAD: SaveAction[] = ["download"];

/** Describe the save state. `online` is the browser's own view of the network; `zone` is for tests. */
export function describeState(model: Model, storage: StorageState, online: boolean, zone?: string): SaveMessage {
  const { trouble, sent, asking, postponed } = model;
  const isStored = storage === "all";
  const where = whereStored(isStored);
  if ((asking && !asking.proposal) || postponed) {
    const actions: SaveAction[] = isStored ? ["compare"] : ["compare", "download"];
    return notSaved(
      "Changed elsewhere. Compare",
      `The same paragraph was changed elsewhere. ${where} Nothing is saved over it until you have ` +
        `compared the two.`,
      actions,
    );
  }
  if (!isClean(model) && trouble) return describeTrouble(trouble, isStored, online);
  const message: SaveMessage = sent
    ? { state: "saving", words: "Saving" }
    : isClean(model)
      ? savedMessage(model, zone)
      : { state: "typing", words: "Not saved yet" };
  const refused = model.aside.some((one) => one.refused);
  if (refused)
    return {
      ...message,
      notice: {
        sentence: "A version you did not choose could not be added to the history. It is kept in this browser.",
        actions: [],
      },
    };
  return isStored ? message : { ...message, notice: describeStorage(storage) };
}

function describeTrouble(trouble: NonNullable<Model["trouble"]>, isStored: boolean, online: boolean): SaveMessage {
  const downloadAction: SaveAction[] = isStored ? [] : DOWNLOAD;
  const where = whereStored(isStored);
  switch (trouble.kind) {
    case "offline": {
      const words = online ? "No response. Not saved yet" : "Offline. Not saved yet";
      const sentence = online
        ? `The server is not responding. ${where} It will be saved automatically when the server responds.`
        : `You are offline. ${where} It will be saved automatically when you are online again.`;
      return { state: "offline", words, notice: { sentence, actions: [...downloadAction, "again"] } };
    }
    case "signed-out":
      return notSaved(
        "Signed out. Not saved yet",
        `You are signed out. ${where} Sign in again in a new tab; this page then saves automatically.`,
        ["sign-in", ...downloadAction],
      );
    case "someone-else":
      return notSaved(
        "Not saved",
        `Another user has signed in in this browser. ${where} It will be saved when you sign in to your own ` +
          `account again.`,
        ["sign-in", "download"],
      );
    case "forbidden":
      return notSaved("Not saved", `You can no longer edit this section. ${where} ${trouble.sentence}`.trim(), [
        "download",
        "again",
      ]);
    case "gone":
      return notSaved("Not saved", `This section was deleted, or you no longer have access to it. ${where}`, [
        "download",
        "again",
      ]);
    case "refused":
      return notSaved("Not saved", `${trouble.sentence} ${where}`, ["download", "again"]);
  }
}

function notSaved(words: string, sentence: string, actions: SaveAction[]): SaveMessage {
  return { state: "conflict", words, notice: { sentence, actions } };
}

function whereStored(isStored: boolean): string {
  return isStored
    ? "Your text is kept in this browser."
    : "Your text is in this window only: do not close it, or download it first.";
}

function savedMessage({ savedAt: at }: Model, zone?: string): SaveMessage {
  if (!at) return { state: "new", words: "No changes" };
  return { state: "saved", words: `Saved ${localTime(new Date(at).toISOString(), "hour", zone) ?? ""}` };
}

function describeStorage(storage: StorageState): NonNullable<SaveMessage["notice"]> {
  const why = storage === "full" ? "This browser’s storage is full" : "This browser does not store data for this page";
  return {
    sentence: `${why}, so your text is saved only on the server. Wait for “Saved” before you close the window.`,
    actions: DOWNLOAD,
  };
}

/** Say in a short notice whose changes were merged into the text. */
export function mergedNotice(names: readonly string[]): string {
  if (!names.length) return "Your changes from another window were added.";
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return `Changes of ${list} were added.`;
}
