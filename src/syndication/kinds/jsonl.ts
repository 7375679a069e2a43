import { ENTRIES_MAX, FeedError, type Parse, readEach } from "../item.ts";
import { replacedBy } from "../standing.ts";
import { entryIn } from "./entry.ts";
import { type Fields, idIn, isFields } from "./fields.ts";

/** Reads JSON Lines, or one JSON array: a row has the fields of a post. */
export const jsonl: Parse = (text, reading) => {
  const { rows, beyond } = rowsOf(text);
  const replaced = replacedBy(rows.filter(isFields));
  const parsed = readEach(
    rows,
    (row) => {
      if (typeof row === "string") throw new FeedError("it is no JSON object.");
      const item = entryIn(row, reading);
      return item !== null && replaced.has(item.id) ? { ...item, cancelled: true } : item;
    },
    // A line that begins no object is no entry.
    (row) => (typeof row !== "string" ? idIn(row) : row.includes("{") ? idInPieces(row) : row),
  );
  if (rows.length > 0 && rows.every((row) => typeof row === "string"))
    throw new FeedError("No line of this is a JSON object.");
  return { ...parsed, beyond: parsed.beyond + beyond };
};

/** Finds the id in the text of an object that is broken elsewhere. */
function idInPieces(text: string): string | null {
  const fields = [...text.matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|\d+)/g)].map(([, name = "", value]) => [
    name,
    objectOf(value ?? ""),
  ]);
  // The first of two fields of one name is that of the entry itself.
  return idIn(Object.fromEntries(fields.reverse()));
}

/** Lines are read one by one: to split a million short ones at once would take a gigabyte. */
function rowsOf(text: string): { rows: (Fields | string)[]; beyond: number } {
  const asRow = (value: unknown, written = "") => (isFields(value) ? value : written);
  const whole = /^\s*\[/.test(text) ? objectOf(text) : null;
  if (Array.isArray(whole))
    return {
      rows: whole.slice(0, ENTRIES_MAX).map((row) => asRow(row)),
      beyond: Math.max(0, whole.length - ENTRIES_MAX),
    };
  const rows: (Fields | string)[] = [];
  let beyond = 0;
  for (let from = 0, to = 0; from < text.length; from = to + 1) {
    to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    if (rows.length >= ENTRIES_MAX) beyond += 1;
    else {
      const line = text.slice(from, to).trim();
      if (line !== "") rows.push(asRow(objectOf(line), line));
    }
  }
  return { rows, beyond };
}

function objectOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
