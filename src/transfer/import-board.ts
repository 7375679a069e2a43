import type { Store } from "../ports/store/index.ts";
import type { RowKind, RowPage } from "../ports/store/transfer.ts";
import { Checksum, type Header, looksLikeExport, type Row, readEnd, readHeader, readRow } from "./format.ts";
import { IMPORT_MARK, type Mark, markText, readMark } from "./import-mark.ts";
import { linesOf } from "./lines.ts";

/** Rows written in one transaction. */
const ROWS_PER_WRITE = 500;
/** Kinds that an otherwise empty board may hold before an import. */
const MAY_BE_THERE: readonly RowKind[] = ["setting", "counter"];

/** Whether a file is an export of a board; otherwise it has posts in JSON lines. */
export async function isExport(file: string): Promise<boolean> {
  for await (const line of linesOf(file)) return looksLikeExport(line.toString("utf8"));
  return false;
}

/**
 * Reads a whole export without writing anything.
 *
 * @param read  receives the number of bytes read since the last call
 * @returns its header and the number of lines before its end
 * @throws Error in one line for the operator when the file is cut off or damaged
 */
export async function checkExport(
  file: string,
  read: (bytes: number) => void,
): Promise<{ header: Header; lines: number }> {
  const checksum = new Checksum();
  let header: Header | null = null;
  let lines = 0;
  let last: Buffer | null = null;
  for await (const line of linesOf(file, { read })) {
    if (header === null) header = at(1, () => readHeader(line.toString("utf8")));
    if (last !== null) {
      checksum.add(last);
      lines += 1;
    }
    last = Buffer.from(line);
  }
  const end = last === null ? null : readEnd(last.toString("utf8"));
  if (header === null || end === null) throw new Error(`${file} is cut off: it has no end. Export again.`);
  if (end.sha256 !== checksum.value() || end.rows !== lines - 1) {
    throw new Error(`${file} was changed or damaged: its checksum is another. Export again.`);
  }
  return { header, lines };
}

/**
 * Writes a checked export into an empty board, or resumes an interrupted import. Each transaction moves the mark too, so
 * that a crash at any time neither loses nor repeats a row.
 *
 * @param options.read  receives the number of bytes read since the last call
 * @returns the number of rows written, or null when all were there already
 * @throws Error in one line for the operator: the board is not empty, or a line is wrong, and its transaction leaves nothing
 */
export async function importBoard(
  store: Store,
  file: string,
  { header, lines }: { header: Header; lines: number },
  options: { read: (bytes: number) => void },
): Promise<{ rows: number } | null> {
  const mark = await readMark(store.settings);
  if (mark === null) await refuseUnlessEmpty(store);
  else if (mark.export !== header.id) throw new Error("This board is, or was, imported from another export.");
  else if (mark.done) return null;
  const begun = mark?.lines ?? 1;
  const writer = new BatchWriter(store, header.id, mark);
  let line = 0;
  for await (const text of linesOf(file, options)) {
    line += 1;
    if (line <= begun) continue;
    if (line > lines) break;
    await writer.add(
      line,
      at(line, () => readRow(text.toString("utf8"))),
    );
  }
  await writer.flush();
  await verify(store, header);
  await writer.finish();
  return { rows: lines - begun };
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

/** Counts what is there, not what was sent. */
async function verify(store: Store, header: Header): Promise<void> {
  const counts = await countsOf(store);
  const wrong = Object.entries(header.rows).filter(
    ([kind, n]) => !MAY_BE_THERE.includes(kind as RowKind) && counts[kind as RowKind] !== n,
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

/** Collects rows and writes them together with the mark. */
class BatchWriter {
  readonly #store: Store;
  readonly #export: string;
  /** The mark in the store. */
  #mark: Mark | null;
  #pages: RowPage[] = [];
  #first = 0;
  #last = 0;
  #size = 0;

  constructor(store: Store, exportId: string, mark: Mark | null) {
    this.#store = store;
    this.#export = exportId;
    this.#mark = mark;
  }

  async add(line: number, { kind, row }: Row): Promise<void> {
    const page = this.#pages.at(-1);
    if (page?.kind === kind) (page.rows as unknown[]).push(row);
    else this.#pages.push({ kind, rows: [row] } as RowPage);
    if (this.#size === 0) this.#first = line;
    this.#last = line;
    this.#size += 1;
    if (this.#size >= ROWS_PER_WRITE) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#size === 0) return;
    try {
      await this.#write(this.#pages, { export: this.#export, lines: this.#last, done: false });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Lines ${this.#first} to ${this.#last} were not written: ${reason}`, { cause: error });
    }
    this.#pages = [];
    this.#size = 0;
  }

  async finish(): Promise<void> {
    await this.#write([], { export: this.#export, lines: this.#mark?.lines ?? 1, done: true });
  }

  async #write(pages: readonly RowPage[], to: Mark): Promise<void> {
    const from = this.#mark === null ? null : markText(this.#mark);
    await this.#store.transfer.write(pages, { name: IMPORT_MARK, from, to: markText(to) });
    this.#mark = to;
  }
}

function at<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`Line ${line}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
