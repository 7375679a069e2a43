import type { Sent } from "./fetch.ts";

/**
 * Text in the charset that a byte order mark, the header or the XML declaration names, else UTF-8. Bytes that are none of
 * it are Windows' Latin 1, of which any byte is a character.
 */
export function decoded({ bytes: sent, contentType }: Sent): string {
  const bytes = unfolded(Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength));
  const head = bytes.subarray(0, 200).toString("latin1");
  const named = contentType.match(/charset="?([\w-]+)/i)?.[1];
  const declared = head.match(/^\s*<\?xml[^>]*encoding=["']([\w-]+)/)?.[1];
  const marked = MARKS.find(([mark]) => head.startsWith(mark))?.[1];
  for (const charset of [marked, named, declared, "utf-8"]) {
    if (charset === undefined) continue;
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // No charset by this name, or bytes that it has not; the next one may fit.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** A calendar in whole lines: some programs fold them in the middle of a character. */
function unfolded(bytes: Buffer): Buffer {
  if (!/^(\xEF\xBB\xBF)?\s*BEGIN:VCALENDAR/i.test(bytes.subarray(0, 200).toString("latin1"))) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/\r?\n[ \t]/g, ""), "latin1");
}

/** Byte order marks, and how XML in UTF-16 begins without one. */
const MARKS: readonly (readonly [string, string])[] = [
  ["\xEF\xBB\xBF", "utf-8"],
  ["\xFF\xFE", "utf-16le"],
  ["\xFE\xFF", "utf-16be"],
  ["<\0", "utf-16le"],
  ["\0<", "utf-16be"],
];
