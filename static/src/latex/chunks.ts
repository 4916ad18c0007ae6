/** A paragraph of the source: lines up to an empty one. `key` is its source with normalized line endings. */
export interface Chunk {
  before: string; // the text before it: a line end and empty lines
  source: string;
  key: string;
}

/**
 * Split a text at its empty lines. The text after the last paragraph is a last chunk with an empty source. Joining all
 * `before` and `source` restores the text. Linear time. Unlike `split` this ignores environments, because an unfinished
 * one must not turn the rest of a chapter into a single chunk.
 */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  const line = /([^\r\n]*)(\r\n|\r|\n|$)/g;
  let [start, end, ended] = [-1, -1, 0]; // of the current paragraph; the end of the last one
  while (line.lastIndex < text.length || start >= 0) {
    const from = line.lastIndex;
    const found = from < text.length ? line.exec(text) : null;
    const content = found?.[1] ?? "";
    if (content.trim()) {
      if (start < 0) start = from;
      end = from + content.length;
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
