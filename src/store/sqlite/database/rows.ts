import type { StoredPost } from "../../../ports/store/index.ts";
import { POST } from "../../../records/post.ts";
import { PUBLISHER } from "../../../records/publisher.ts";
import type { Field, Kept, RowOf, RowRecord } from "../../../records/record.ts";
import { SUBSCRIPTION } from "../../../records/subscription.ts";
import type { SqliteContext } from "./connection.ts";

/** SQLite gives such a row. */
// biome-ignore lint/suspicious/noExplicitAny: the statement decides which columns a row has
export type SqliteRow = Record<string, any>;

/** Keeps the fields of a record in columns of their names in snake case. */
export class Columns<One extends RowRecord> {
  readonly names: readonly string[];
  readonly #columns: readonly Field[];

  constructor(record: One) {
    this.#columns = record.fields;
    this.names = this.#columns.map(({ column }) => column);
  }

  /** Reads the fields that columns hold. */
  read(row: SqliteRow): RowOf<One> {
    const fields: SqliteRow = {};
    for (const { name, column, kept } of this.#columns) {
      const value = row[column];
      fields[name] = value === null ? null : READ[kept](value);
    }
    return fields as RowOf<One>;
  }

  /** Gives the columns of those of the fields that are given. */
  write(given: Partial<RowOf<One>>): SqliteRow {
    const columns: SqliteRow = {};
    const fields: SqliteRow = given;
    for (const { name, column, kept } of this.#columns) {
      const value = fields[name];
      if (value !== undefined) columns[column] = value === null ? null : WRITE[kept](value);
    }
    return columns;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a value of the kind that the field is kept as
type Turn = (value: any) => unknown;
const asIs: Turn = (value) => value;
const READ: Readonly<Record<Kept, Turn>> = {
  plain: asIs,
  moment: asIs,
  flag: (value) => value === 1,
  json: (value) => JSON.parse(value),
  free: (value) => JSON.parse(value),
  vector: (value) => vectorOfBlob(value),
};
const WRITE: Readonly<Record<Kept, Turn>> = {
  plain: asIs,
  moment: asIs,
  flag: Number,
  json: (value) => JSON.stringify(value),
  free: (value) => JSON.stringify(value),
  vector: (value) => blobOf(value),
};

export function vectorOfBlob(blob: Uint8Array): Int8Array {
  return new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}

export function blobOf(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

const WHOLE_POST = new Columns(POST);
/** The publisher wrote these, and `post_content` has them until the post is removed. */
const WRITTEN = POST.fields.filter(({ written }) => written === true);
const CONTENT = new Set(WRITTEN.map(({ column }) => column));
const NO_CONTENT: Partial<StoredPost> = Object.fromEntries(WRITTEN.map(({ name, wiped }) => [name, wiped]));

const columnOf = (name: string) =>
  name === "retrievals" ? "coalesce(r.n, 0) AS retrievals" : `${CONTENT.has(name) ? "c" : "p"}.${name}`;
/** These are the columns of a whole post, and the tables that hold them. */
export const POST_COLUMNS = `p.seq, ${WHOLE_POST.names.map(columnOf).join(", ")}`;
export const POST_TABLES = `
  post p LEFT JOIN post_content c ON c.post = p.seq LEFT JOIN post_retrievals r ON r.post = p.seq `;
/** Selects whole posts; append a WHERE over `p`. */
export const SELECT_POST = `SELECT ${POST_COLUMNS} FROM ${POST_TABLES}`;

/** `SELECT_POST` gives such a row. */
export interface PostRow extends SqliteRow {
  seq: number;
  id: string;
  publisher_id: string;
  parent_id: string | null;
  expires_at: number;
  state: StoredPost["state"];
}

export const storedPostOfRow = (row: PostRow): StoredPost => ({
  ...WHOLE_POST.read(row),
  ...(row.state === "removed" ? NO_CONTENT : {}),
});

/** Gives the columns of `post` and of `post_content` for those of the fields that are given. */
export function postColumns(post: Partial<StoredPost>): { decided: SqliteRow; content: SqliteRow } {
  const { retrievals: _, ...columns } = WHOLE_POST.write(post);
  const [decided, content]: [SqliteRow, SqliteRow] = [{}, {}];
  for (const [name, value] of Object.entries(columns)) (CONTENT.has(name) ? content : decided)[name] = value;
  return { decided, content };
}

/** Reads a post in any state, or null. */
export function postRow({ connection }: SqliteContext, id: string): PostRow | null {
  return connection.sql(`${SELECT_POST} WHERE p.id = ?`).get(id) ?? null;
}

/** Reads the post of a publisher under an idempotency key, or null. */
export function rowWithKey(
  { connection }: SqliteContext,
  publisherId: string,
  idempotencyHash: string | null,
): PostRow | null {
  if (idempotencyHash === null) return null;
  const where = "WHERE p.publisher_id = ? AND p.idempotency_hash = ?";
  return connection.sql(`${SELECT_POST} ${where}`).get(publisherId, idempotencyHash) ?? null;
}

/** Holds for a post `p` of publisher `a` that anyone may see: neither it nor the post it answers is hidden. */
const IS_SHOWN = `(p.state = 'active' AND a.suspended_at IS NULL AND a.erasing = 0 AND (p.parent_id IS NULL OR EXISTS (
  SELECT 1 FROM post root CROSS JOIN publisher b ON b.id = root.publisher_id
  WHERE root.id = p.parent_id AND root.state = 'active' AND b.suspended_at IS NULL AND b.erasing = 0)))`;

/** Holds for a row `t` of deliveries or of an inbox whose post `p` of publisher `a` anyone may see, or that tells of its removal. */
export const isTold = (t: string) => `(${IS_SHOWN} OR (p.state = 'removed' AND ${t}.change IS NOT NULL))`;

export const PUBLISHER_COLUMNS = new Columns(PUBLISHER);
export const SUBSCRIPTION_COLUMNS = new Columns(SUBSCRIPTION);
