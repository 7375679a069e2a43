import { createHash } from "node:crypto";
import { z } from "zod";
import type { SettingStore, Store } from "../ports/store/index.ts";
import type { RowPage } from "../ports/store/transfer.ts";
import type { RowKind } from "../records/index.ts";
import { RowsCheck } from "./check-rows.ts";
import { type Header, looksLikeExport, readEnd, readHeader, readRow } from "./format.ts";
import { linesOf } from "./lines.ts";

/** One transaction writes this many rows. */
const ROWS_PER_WRITE = 500;
/** An otherwise empty board may hold these kinds before an import. */
const MAY_BE_THERE: readonly RowKind[] = ["setting", "counter"];

/** Tells whether a file is an export of a board; otherwise it has posts in JSON lines. */
export async function isExport(file: string): Promise<boolean> {
  for await (const line of linesOf(file)) return looksLikeExport(line.toString("utf8"));
  return false;
}

export interface CheckedExport {
  header: Header;
  /** This many lines come before its end. */
  lines: number;
  /** Earlier formats had fields that boards no longer keep, such as `subscription.learning`; it says how many of each there are. */
  dropped: ReadonlyMap<string, number>;
}

/**
 * Reads a whole export, every row of it, without writing anything.
 *
 * @param read  receives the number of bytes read since the last call
 * @throws Error in one line for the operator when the file is cut off or damaged; or names the first wrong line and its field
 */
export async function checkExport(file: string, read: (bytes: number) => void): Promise<CheckedExport> {
  const hash = createHash("sha256");
  const dropped = new Map<string, number>();
  const rows = new RowsCheck();
  let header: Header | null = null;
  let lines = 0;
  let last: Buffer | null = null;
  /** The first wrong line counts for nothing where the file was damaged. */
  let wrong: unknown = null;
  const checkRow = (line: string) => {
    const { row, dropped: left } = readRow(line);
    for (const name of left) dropped.set(name, (dropped.get(name) ?? 0) + 1);
    if (row !== null) rows.add(row);
  };
  try {
    for await (const line of linesOf(file, read)) {
      if (header === null) header = at(1, () => readHeader(line.toString("utf8")));
      if (last !== null) {
        hash.update(last).update("\n");
        lines += 1;
        const text = last.toString("utf8");
        try {
          if (lines > 1 && wrong === null) at(lines, () => checkRow(text));
        } catch (error) {
          wrong = error;
        }
      }
      last = Buffer.from(line);
    }
    const end = last === null ? null : readEnd(last.toString("utf8"));
    if (header === null || end === null) throw new Error(`${file} is cut off: it has no end. Export again.`);
    if (end.sha256 !== hash.digest("hex") || end.rows !== lines - 1)
      throw new Error(`${file} was changed or damaged: its checksum is another. Export again.`);
    if (wrong !== null) throw wrong;
    const { rows: counts } = header;
    at(1, () => rows.compare(counts));
    return { header, lines, dropped };
  } finally {
    rows.close();
  }
}

/**
 * Writes a checked export into an empty board, or resumes an interrupted import. Each transaction moves the mark too, so
 * that a crash at any time neither loses nor repeats a row.
 *
 * @param read  receives the number of bytes read since the last call
 * @returns the number of rows written, or null when all were there already
 * @throws Error in one line for the operator: the board is not empty, or a line is wrong, and its transaction leaves nothing
 */
export async function importBoard(
  store: Store,
  file: string,
  { header, lines }: Pick<CheckedExport, "header" | "lines">,
  read: (bytes: number) => void,
): Promise<{ rows: number } | null> {
  const mark = await readMark(store.settings);
  if (mark === null) await refuseUnlessEmpty(store);
  else if (mark.export !== header.id) throw new Error("This board is, or was, imported from another export.");
  else if (mark.done) return null;
  const begun = mark?.lines ?? 1;
  let reached = mark;
  const write = async (pages: readonly RowPage[], to: Mark) => {
    const from = reached === null ? null : markText(reached);
    await store.transfer.write(pages, { name: IMPORT_MARK, from, to: markText(to) });
    reached = to;
  };
  for await (const { first, last, pages } of batchesOf(file, { begun, lines }, read)) {
    await write(pages, { export: header.id, lines: last, done: false }).catch((error: unknown) => {
      throw new Error(`Lines ${first} to ${last} were not written: ${reasonOf(error)}`, { cause: error });
    });
  }
  await verify(store, header);
  await write([], { export: header.id, lines, done: true });
  return { rows: lines - begun };
}

/** Gathers rows of consecutive lines that are written together. */
async function* batchesOf(
  file: string,
  { begun, lines }: { begun: number; lines: number },
  read: (bytes: number) => void,
): AsyncGenerator<{ first: number; last: number; pages: RowPage[] }> {
  let line = 0;
  let first = begun + 1;
  let pages: RowPage[] = [];
  for await (const text of linesOf(file, read)) {
    line += 1;
    if (line <= begun) continue;
    if (line > lines) break;
    const { row } = at(line, () => readRow(text.toString("utf8")));
    const page = pages.at(-1);
    if (row !== null && page?.kind === row.kind) (page.rows as unknown[]).push(row.row);
    else if (row !== null) pages.push({ kind: row.kind, rows: [row.row] } as RowPage);
    if (line - first + 1 < ROWS_PER_WRITE && line < lines) continue;
    yield { first, last: line, pages };
    [first, pages] = [line + 1, []];
  }
}

async function refuseUnlessEmpty(store: Store): Promise<void> {
  const counts = await countsOf(store);
  const there = Object.entries(counts).filter(
    ([kind, n]) => n > 0 && !MAY_BE_THERE.includes(kind as RowKind),
  );
  if (there.length === 0) return;
  const found = there.map(([kind, n]) => `${kind}: ${n}`).join(", ");
  throw new Error(`This board is not empty (${found}). An export goes into an empty one.`);
}

/** Compares the rows that are in the board with the counts of the header. */
async function verify(store: Store, header: Header): Promise<void> {
  const counts = await countsOf(store);
  const wrong = Object.entries(header.rows).filter(
    ([kind, n]) => !MAY_BE_THERE.includes(kind as RowKind) && (counts[kind as RowKind] ?? n) !== n,
  );
  if (wrong.length === 0) return;
  const found = wrong.map(([kind, n]) => `${kind}: ${counts[kind as RowKind]} and not ${n}`).join(", ");
  throw new Error(`The board does not hold what the export says (${found}). Did it run during the import?`);
}

async function countsOf(store: Store): Promise<Readonly<Record<RowKind, number>>> {
  const snapshot = await store.transfer.snapshot();
  await snapshot.close();
  return snapshot.counts;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function at<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`Line ${line}: ${reasonOf(error)}`, { cause: error });
  }
}

/** This setting says how far an import has come. */
export const IMPORT_MARK = "import";

const Mark = z.object({
  /** The export has this id. */
  export: z.string(),
  /** This many lines of the file are in the board. */
  lines: z.int().min(0),
  done: z.boolean(),
});
type Mark = z.infer<typeof Mark>;

const markText = (mark: Mark): string => JSON.stringify(mark);

/** Reads the mark of a board; null where nothing was imported. */
export async function readMark(settings: SettingStore): Promise<Mark | null> {
  const text = await settings.get(IMPORT_MARK);
  return text === null ? null : Mark.parse(JSON.parse(text));
}

/**
 * Refuses to run a board with half of its rows, which would match, erase and count wrongly.
 * @throws Error in one line for the operator
 */
export async function refuseHalfImported(settings: SettingStore): Promise<void> {
  const mark = await readMark(settings);
  if (mark !== null && !mark.done) throw new Error(HALF_IMPORTED);
}

/** Tells whether the text of the mark, or null for none, says that an import was not finished. */
export const isHalfImported = (mark: string | null): boolean =>
  mark !== null && !Mark.parse(JSON.parse(mark)).done;

export const HALF_IMPORTED =
  "This board is half imported. Run `agent-board import` with the same file again; it goes on. Or begin again: delete the " +
  "database (board.db, board.db-wal and board.db-shm; on MongoDB, drop it), or name an empty one in STORE_URL, and import into that.";
