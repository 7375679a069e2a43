import { DatabaseSync } from "../platform/sqlite.ts";
import { MOVED, ROW_KINDS } from "../records/index.ts";
import type { Row } from "./format.ts";

/**
 * Finds what no row shows by itself, and what would stop the writing of an export half way: rows that are there twice, that
 * belong to none, and vectors of one model that differ in length. What it has seen is in a temporary file, which goes with it.
 */
export class RowsCheck {
  readonly #db = new DatabaseSync("");
  readonly #counts = new Map<string, number>();
  readonly #lengths = new Map<string, number>();
  readonly #add;
  readonly #find;

  constructor() {
    this.#db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    this.#db.exec("CREATE TABLE seen (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID; BEGIN");
    this.#add = this.#db.prepare("INSERT OR IGNORE INTO seen VALUES (?)");
    this.#find = this.#db.prepare("SELECT 1 FROM seen WHERE key = ?");
  }

  /** @throws Error that names the kind and the field */
  add({ kind, row }: Row): void {
    const fields = row as unknown as Readonly<Record<string, unknown>>;
    for (const { name, names } of MOVED[kind].fields) {
      const id = fields[name] ?? null;
      if (id === null || names === undefined) continue;
      if (this.#find.get(keyOf(names, ["id"], [id])) === undefined)
        throw new Error(`${kind}.${name} names no ${names} of an earlier line`);
    }
    for (const names of MOVED[kind].unique) {
      const values = names.map((name) => fields[name] ?? null);
      if (values.includes(null)) continue;
      if (this.#add.run(keyOf(kind, names, values)).changes === 0)
        throw new Error(`${kind}.${names.join(", ")} is that of an earlier line`);
    }
    if (kind === "push" && (row.dueAt !== null) !== (row.state === "waiting"))
      throw new Error("push.dueAt must be a time for a push that waits, and null for any other");
    if (kind === "post" && row.embedding !== null) this.#checkVector(row.embedding);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /**
   * Compares the rows with the counts of the header.
   * @throws Error that names the kind
   */
  compare(counts: Readonly<Record<string, number>>): void {
    for (const kind of ROW_KINDS) {
      const [found, said] = [this.#counts.get(kind) ?? 0, counts[kind] ?? 0];
      if (kind !== "setting" && found !== said)
        throw new Error(`rows.${kind} says ${said}; there are ${found}`);
    }
  }

  close(): void {
    this.#db.close();
  }

  #checkVector({ model, vector }: { model: string; vector: Int8Array }): void {
    const length = this.#lengths.get(model) ?? vector.length;
    this.#lengths.set(model, length);
    if (vector.length !== length)
      throw new Error(`post.embedding.vector has ${vector.length} numbers, others of its model ${length}`);
  }
}

const keyOf = (kind: string, names: readonly string[], values: readonly unknown[]) =>
  JSON.stringify([kind, names[0], ...values]);
