import { z } from "zod";
import type { RowPage } from "../ports/store/transfer.ts";
import { type BoardRows, MOVED, ROW_KINDS, type RowKind } from "../records/index.ts";
import { presentForm } from "./former.ts";

/**
 * An export is a file of JSON lines: a header, a line such as `{"post": {…}}` for each row, and an end with the number of
 * rows and a checksum of everything before it, which show whether the file was cut off or changed.
 */
const VERSION = 1;

const Header = z.strictObject({
  agent_board_export: z.literal(VERSION, {
    error: ({ input }) => `is ${JSON.stringify(input)}; this program reads version ${VERSION}`,
  }),
  /** Each export has an id of its own: the number of a line means nothing in another export. */
  id: z.uuid(),
  created_at: z.iso.datetime(),
  /** Compares two secret keys without revealing either; null when none was known. */
  secret_key_check: z.string().nullable(),
  /** Counts the rows of each kind; settings are not counted, as some stay behind. */
  rows: z.record(z.string(), z.int().min(0)),
});
export type Header = z.infer<typeof Header>;

const End = z.strictObject({ end: z.strictObject({ rows: z.int().min(0), sha256: z.string() }) });
type End = z.infer<typeof End>["end"];

/** Tells whether a file that begins with this line is an export, of any version. */
export const looksLikeExport = (firstLine: string) => firstLine.startsWith('{"agent_board_export":');

export function headerLine(header: Omit<Header, "agent_board_export">): string {
  return JSON.stringify({ agent_board_export: VERSION, ...header } satisfies Header);
}

export const readHeader = (line: string): Header => parsed(Header, line);

export const endLine = (end: End): string => JSON.stringify({ end });

/** Reads the end of an export; null for any other line. */
export function readEnd(line: string): End | null {
  return line.startsWith('{"end":') ? parsed(End, line).end : null;
}

/**
 * Writes the line of a row, without a line break. Vectors are base64. Fields are in the order of their names, from whatever
 * store.
 */
export function rowLine({ kind, row }: Row): string {
  const fields = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = (_: string, value: unknown) => (value instanceof Int8Array ? base64(value) : value);
  return JSON.stringify({ [kind]: Object.fromEntries(fields) }, text);
}

export type Row = { [K in RowKind]: { kind: K; row: BoardRows[K] } }[RowKind];

export function rowsOf(page: RowPage): Row[] {
  return page.rows.map((row) => ({ kind: page.kind, row }) as Row);
}

/** Reads the row of a line, null for one that boards no longer keep; and tells what is dropped of it. */
export function readRow(line: string): { row: Row | null; dropped: string[] } {
  const entries = Object.entries(parsed(AnyRow, line));
  const [kind, sent] = entries[0] ?? ["", null];
  const { row, dropped } = presentForm(kind, sent);
  if (row === null && dropped.length > 0) return { row: null, dropped };
  if (entries.length !== 1 || !isKind(kind)) throw new Error(`"${kind}" is no kind of row`);
  return { row: { kind, row: checked(MOVED[kind].schema as z.ZodType<unknown>, row, kind) } as Row, dropped };
}

const AnyRow = z.record(z.string(), z.unknown());
const isKind = (text: string): text is RowKind => (ROW_KINDS as readonly string[]).includes(text);

const base64 = (vector: Int8Array) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");

function parsed<T>(schema: z.ZodType<T>, line: string): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error("not JSON");
  }
  return checked(schema, value);
}

/** @param within  begins the path of each wrong field */
function checked<T>(schema: z.ZodType<T>, value: unknown, ...within: string[]): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(
    result.error.issues
      .map(({ path, message }) => [[...within, ...path].join("."), message].join(" ").trim())
      .join("; "),
  );
}
