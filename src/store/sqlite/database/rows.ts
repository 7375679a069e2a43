import type { StoredPost, StoredPublisher, StoredSubscription } from "../../../ports/store/index.ts";
import type { SqliteContext } from "./connection.ts";

/** A row as SQLite gives it. */
// biome-ignore lint/suspicious/noExplicitAny: the statement decides which columns a row has
export type SqliteRow = Record<string, any>;

/** How a field is kept: as it is, as JSON text, a boolean as 0 or 1, a vector as its bytes. */
type Kept = "plain" | "json" | "flag" | "vector";

/** How a table keeps the fields of a row: in columns of their names in snake case. */
export class Columns<Row extends object> {
  /** Names of the columns. */
  readonly names: readonly string[];
  readonly #columns: readonly (readonly [field: keyof Row & string, column: string, kept: Kept])[];

  /**
   * @param fields  names of all fields, in the order of an export, separated by white space
   * @param kept  names of those that are not kept as they are
   */
  constructor(fields: string, kept: Partial<Record<Exclude<Kept, "plain">, string>> = {}) {
    const keptAs = (field: string): Kept =>
      (["json", "flag", "vector"] as const).find((one) => kept[one]?.split(" ").includes(field)) ?? "plain";
    this.#columns = fields
      .split(/\s+/)
      .map((field) => [field as keyof Row & string, columnName(field), keptAs(field)]);
    this.names = this.#columns.map(([, column]) => column);
  }

  /** The fields that columns hold. */
  read(row: SqliteRow): Row {
    const fields: SqliteRow = {};
    for (const [field, column, kept] of this.#columns) {
      const value = row[column];
      if (kept === "plain" || value === null) fields[field] = value;
      else
        fields[field] =
          kept === "flag" ? value === 1 : kept === "json" ? JSON.parse(value) : vectorOfBlob(value);
    }
    return fields as Row;
  }

  /** The columns of those of the fields that are given. */
  write(fields: Partial<Row>): SqliteRow {
    const columns: SqliteRow = {};
    for (const [field, column, kept] of this.#columns) {
      const value: unknown = fields[field];
      if (value === undefined) continue;
      if (kept === "plain" || value === null) columns[column] = value;
      else if (kept === "flag") columns[column] = Number(value);
      else columns[column] = kept === "json" ? JSON.stringify(value) : blobOf(value as Int8Array);
    }
    return columns;
  }
}

export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function vectorOfBlob(blob: Uint8Array): Int8Array {
  return new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}

export function blobOf(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

const WHOLE_POST = new Columns<StoredPost>(
  `id publisherId kind title body link tags location startsAt endsAt timezone expiresAt expiryChosen sourceUrl syndicated
  metadata parentId replyCount lastReplyAt flags fingerprint inputHash idempotencyHash retrievals createdAt updatedAt writtenNo state`,
  { json: "tags location metadata flags", flag: "expiryChosen syndicated" },
);
/** What the publisher wrote, as `post_content` has it until the post is removed. */
const CONTENT = new Set("title body link tags location timezone source_url metadata".split(" "));
const NO_CONTENT = { title: "", body: "", tags: [], metadata: {} };

const columnOf = (name: string) =>
  name === "retrievals" ? "coalesce(r.n, 0) AS retrievals" : `${CONTENT.has(name) ? "c" : "p"}.${name}`;
/** The columns of a whole post, and the tables that hold them. */
export const POST_COLUMNS = `p.seq, ${WHOLE_POST.names.map(columnOf).join(", ")}`;
export const POST_TABLES = `
  post p LEFT JOIN post_content c ON c.post = p.seq LEFT JOIN post_retrievals r ON r.post = p.seq `;
/** Selects whole posts; append a WHERE over `p`. */
export const SELECT_POST = `SELECT ${POST_COLUMNS} FROM ${POST_TABLES}`;

/** A row of `SELECT_POST`. */
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

/** The columns of `post` and of `post_content` for those of the fields that are given. */
export function postColumns(post: Partial<StoredPost>): { decided: SqliteRow; content: SqliteRow } {
  const { retrievals: _, ...columns } = WHOLE_POST.write(post);
  const [decided, content]: [SqliteRow, SqliteRow] = [{}, {}];
  for (const [name, value] of Object.entries(columns)) (CONTENT.has(name) ? content : decided)[name] = value;
  return { decided, content };
}

/** A post in any state, or null. */
export function postRow({ connection }: SqliteContext, id: string): PostRow | null {
  return connection.sql(`${SELECT_POST} WHERE p.id = ?`).get(id) ?? null;
}

/** The post of a publisher under an idempotency key, or null. */
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
export const IS_SHOWN = `(p.state = 'active' AND a.suspended_at IS NULL AND a.erasing = 0 AND (p.parent_id IS NULL OR EXISTS (
  SELECT 1 FROM post root CROSS JOIN publisher b ON b.id = root.publisher_id
  WHERE root.id = p.parent_id AND root.state = 'active' AND b.suspended_at IS NULL AND b.erasing = 0)))`;

export const PUBLISHER = new Columns<StoredPublisher>(
  `id name description url domain verifyToken verifiedAt verifiedVia checkedAt suspendedAt keyHash recovery postCount createdAt`,
);

export const SUBSCRIPTION = new Columns<StoredSubscription>(
  `id publisherId label query breadth vector vectorModel background webhookUrl webhookVerifiedAt webhookRefusal secretVersion previousSecretUntil
  event expiresAt clientSecret previousClientSecret
  active inactiveReason failures failingSince lastMatchedAt createdAt savedNo`,
  { json: "query background", flag: "active", vector: "vector" },
);
