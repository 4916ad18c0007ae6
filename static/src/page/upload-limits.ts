// Checks chosen files against the upload limits before sending. The server checks them again.

/** The upload limits. */
export interface Limits {
  bytes: number; // of one file
  files: number; // of one upload
}

const MAX_NAME = 60; // characters of a name in a sentence
const MAX_SENTENCES = 20; // sentences at most; further files are only counted

/** Return the files to send and a sentence for each that is not. Nothing is sent during an upload. */
export function checkLimits<F extends { name: string; size: number }>(
  files: F[],
  limits: Limits,
  sending: boolean,
): { files: F[]; rejected: string[] } {
  if (sending)
    return {
      files: [],
      rejected: ["The previous files are still uploading. Choose these again when that is done."],
    };
  if (files.length > limits.files) {
    return {
      files: [],
      rejected: [
        `You chose ${files.length.toLocaleString("en-GB")} files; at most ${limits.files} can be uploaded at once. ` +
          `Choose fewer.`,
      ],
    };
  }
  const large = files.filter((file) => file.size > limits.bytes);
  const most = `${Number((limits.bytes / 1024 / 1024).toPrecision(6))} MB`;
  const rejected = large
    .slice(0, MAX_SENTENCES)
    .map((file) => `${shortened(file.name)} is larger than ${most}, which is the limit here. It was not uploaded.`);
  if (large.length > MAX_SENTENCES) rejected.push(`More files are too large: ${large.length - MAX_SENTENCES}.`);
  return { files: files.filter((file) => file.size <= limits.bytes), rejected };
}

/** Shorten a file name to its beginning and its end. */
export function shortened(name: string): string {
  const signs = [...name];
  return signs.length <= MAX_NAME ? name : `${signs.slice(0, 40).join("")}…${signs.slice(-15).join("")}`;
}
