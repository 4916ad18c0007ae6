/** A paragraph as it stands in the source: lines up to an empty one. `key` is its source whatever its line endings. */
export interface Chunk {
  before: string; // what stands between it and the one before: the end of a line and empty lines
  source: string;
  key: string;
}

/**
 * `text` by its empty lines; what stands behind the last paragraph is a last chunk with an empty source. The chunks'
 * before and source, joined, are `text`, whatever it is. Linear. Other than `split`, this does not follow environments:
 * half of one, as it stands while somebody types it, must not turn the rest of a chapter into one piece.
 */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  const line = /([^\r\n]*)(\r\n|\r|\n|$)/g;
  let [start, end, ended] = [-1, -1, 0]; // of the paragraph being read; where the last one ended
  while (line.lastIndex < text.length || start >= 0) {
    const from = line.lastIndex;
    const found = from < text.length ? line.exec(text) : null;
    const words = found?.[1] ?? "";
    if (words.trim()) {
      if (start < 0) start = from;
      end = from + words.length;
    } else if (start >= 0) {
      const source = text.slice(start, end);
      chunks.push({ before: text.slice(ended, start), source, key: keyOf(source) });
      [ended, start] = [end, -1];
    }
  }
  chunks.push({ before: text.slice(ended), source: "", key: "" });
  return chunks;
}

function keyOf(source: string): string {
  return source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
}
