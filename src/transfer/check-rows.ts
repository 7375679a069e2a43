import { ROW_KINDS, type RowKind } from "../ports/store/transfer.ts";
import { DatabaseSync } from "../sqlite.ts";
import type { Row } from "./format.ts";

/** Fields that no two rows of a kind have alike. With null in one of them they say nothing. */
const UNIQUE: { readonly [K in RowKind]?: readonly (readonly string[])[] } = {
  setting: [["name"]],
  publisher: [["id"], ["keyHash"]],
  post: [["id"], ["publisherId", "idempotencyHash"]],
  subscription: [["id"]],
  delivery: [["subscriptionId", "postId"]],
  push: [["subscriptionId", "deliveryId"]],
  inbox: [["publisherId", "no"]],
  report: [["id"], ["postId", "reporter"]],
};
/** What fields name. A push stays as a record when its post is gone. */
const NAMES: Readonly<Record<string, RowKind>> = {
  publisherId: "publisher",
  parentId: "post",
  postId: "post",
  subscriptionId: "subscription",
};

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
    for (const [field, named] of Object.entries(NAMES)) {
      const id = fields[field] ?? null;
      if (id === null || (kind === "push" && named === "post")) continue;
      if (this.#find.get(keyOf(named, ["id"], [id])) === undefined)
        throw new Error(`${kind}.${field} names no ${named} of an earlier line`);
    }
    for (const names of UNIQUE[kind] ?? []) {
      const values = names.map((name) => fields[name] ?? null);
      if (values.includes(null)) continue;
      if (this.#add.run(keyOf(kind, names, values)).changes === 0)
        throw new Error(`${kind}.${names.join(", ")} is that of an earlier line`);
    }
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
