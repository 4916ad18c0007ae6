// Which of the files somebody chose are sent at all. The server looks at each of them again.

export interface Limits {
  bytes: number; // of one file
  files: number; // of one upload
}

const NAME = 60; // characters of a name in a sentence
const LISTED = 20; // sentences; of more the rest is counted

/** The files to send, and a sentence on each that is not. Nothing is sent while an upload is under way. */
export function chosen<F extends { name: string; size: number }>(
  files: F[],
  limits: Limits,
  sending: boolean,
): { files: F[]; said: string[] } {
  if (sending)
    return {
      files: [],
      said: ["The files before these are still on their way. Choose these again once they are stored."],
    };
  if (files.length > limits.files) {
    return {
      files: [],
      said: [
        `These are ${files.length.toLocaleString("en-GB")} files; ${limits.files} are taken at once. Choose ` +
          `fewer at a time.`,
      ],
    };
  }
  const large = files.filter((file) => file.size > limits.bytes);
  const most = `${Number((limits.bytes / 1024 / 1024).toPrecision(6))} MB`;
  const said = large
    .slice(0, LISTED)
    .map((file) => `${shortened(file.name)} is larger than ${most}, which is the limit here. It was not sent.`);
  if (large.length > LISTED) said.push(`So are ${large.length - LISTED} more.`);
  return { files: files.filter((file) => file.size <= limits.bytes), said };
}

/** A name short enough for a sentence: its beginning and its ending. */
export function shortened(name: string): string {
  const signs = [...name];
  return signs.length <= NAME ? name : `${signs.slice(0, 40).join("")}…${signs.slice(-15).join("")}`;
}
