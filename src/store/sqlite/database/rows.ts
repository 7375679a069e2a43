import type { StoredPost, StoredPublisher, StoredSubscription } from "../../../ports/store/index.ts";
import type { SqliteContext } from "./context.ts";

/** Columns as SQLite gives them: JSON as text, booleans as 0 and 1. */
export interface PostRow {
  seq: number;
  id: string;
  publisher_id: string;
  parent_id: string | null;
  kind: StoredPost["kind"];
  starts_at: number | null;
  ends_at: number | null;
  expires_at: number;
  expiry_chosen: number;
  syndicated: number;
  reply_count: number;
  last_reply_at: number | null;
  flags: string;
  fingerprint: string;
  input_hash: string;
  idempotency_hash: string | null;
  created_at: number;
  updated_at: number;
  state: StoredPost["state"];
  retrievals: number | null;
  /** The columns of `post_content` are null once the post is removed. */
  title: string | null;
  body: string | null;
  link: string | null;
  tags: string | null;
  located: number | null;
  place_name: string | null;
  lat: number | null;
  approximate: number | null;
  lng: number | null;
  timezone: string | null;
  source_url: string | null;
  metadata: string | null;
}

/** The columns of a whole post, and the tables that hold them. */
export const POST_COLUMNS = `
  p.seq, p.id, p.publisher_id, p.parent_id, p.kind, p.starts_at, p.ends_at, p.expires_at, p.expiry_chosen,
    p.syndicated, p.reply_count, p.last_reply_at, p.flags, p.fingerprint, p.input_hash, p.idempotency_hash,
    p.created_at, p.updated_at, p.state, r.n AS retrievals, c.title, c.body, c.link, c.tags, c.located, c.place_name, c.lat, c.lng, c.approximate, c.timezone,
    c.source_url, c.metadata`;
export const POST_TABLES = `
  post p LEFT JOIN post_content c ON c.post = p.seq LEFT JOIN post_retrievals r ON r.post = p.seq `;
/** Selects whole posts; append a WHERE over `p`. */
export const SELECT_POST = `SELECT ${POST_COLUMNS} FROM ${POST_TABLES}`;

/** The post of a publisher under an idempotency key, or null. */
export function rowWithKey(
  { connection }: SqliteContext,
  publisherId: string,
  idempotencyHash: string | null,
): PostRow | null {
  if (idempotencyHash === null) return null;
  return (
    connection
      .sql(`${SELECT_POST} WHERE p.publisher_id = ? AND p.idempotency_hash = ?`)
      .get(publisherId, idempotencyHash) ?? null
  );
}

/** Holds for a post `p` of publisher `a` that anyone may see: neither it nor the post it answers is hidden. */
export const IS_SHOWN = `(p.state = 'active' AND a.suspended_at IS NULL AND a.erasing = 0 AND (p.parent_id IS NULL OR EXISTS (
  SELECT 1 FROM post root CROSS JOIN publisher b ON b.id = root.publisher_id
  WHERE root.id = p.parent_id AND root.state = 'active' AND b.suspended_at IS NULL AND b.erasing = 0)))`;

/** A post in any state, or null. */
export function postRow({ connection }: SqliteContext, id: string): PostRow | null {
  return connection.sql(`${SELECT_POST} WHERE p.id = ?`).get(id) ?? null;
}

export function storedPostOfRow(row: PostRow): StoredPost {
  return {
    id: row.id,
    publisherId: row.publisher_id,
    kind: row.kind,
    title: row.title ?? "",
    body: row.body ?? "",
    link: row.link,
    tags: JSON.parse(row.tags ?? "[]"),
    location: row.located === 1 ? locationOfRow(row) : null,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    timezone: row.timezone,
    expiresAt: row.expires_at,
    expiryChosen: row.expiry_chosen === 1,
    sourceUrl: row.source_url,
    syndicated: row.syndicated === 1,
    metadata: JSON.parse(row.metadata ?? "{}"),
    parentId: row.parent_id,
    replyCount: row.reply_count,
    lastReplyAt: row.last_reply_at,
    flags: JSON.parse(row.flags),
    fingerprint: row.fingerprint,
    inputHash: row.input_hash,
    idempotencyHash: row.idempotency_hash,
    retrievals: row.retrievals ?? 0,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    state: row.state,
  };
}

export interface PublisherRow {
  id: string;
  name: string;
  description: string | null;
  url: string | null;
  domain: string | null;
  verify_token: string | null;
  verified_at: number | null;
  verified_via: StoredPublisher["verifiedVia"];
  checked_at: number | null;
  suspended_at: number | null;
  key_hash: string;
  post_count: number;
  created_at: number;
}

export function publisherOfRow(row: PublisherRow): StoredPublisher {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    url: row.url,
    domain: row.domain,
    verifyToken: row.verify_token,
    verifiedAt: row.verified_at,
    verifiedVia: row.verified_via,
    checkedAt: row.checked_at,
    suspendedAt: row.suspended_at,
    keyHash: row.key_hash,
    postCount: row.post_count,
    createdAt: row.created_at,
  };
}

export interface SubscriptionRow {
  seq: number;
  id: string;
  publisher_id: string;
  label: string | null;
  query: string;
  vector: Uint8Array | null;
  vector_model: string | null;
  webhook_url: string | null;
  webhook_verified_at: number | null;
  secret_version: number;
  previous_secret_until: number | null;
  background: string | null;
  active: number;
  inactive_reason: StoredSubscription["inactiveReason"];
  failures: number;
  failing_since: number | null;
  last_matched_at: number | null;
  created_at: number;
}

export function subscriptionOfRow(row: SubscriptionRow): StoredSubscription {
  return {
    id: row.id,
    publisherId: row.publisher_id,
    label: row.label,
    query: JSON.parse(row.query),
    vector: row.vector === null ? null : vectorOfBlob(row.vector),
    vectorModel: row.vector_model,
    background: row.background === null ? null : JSON.parse(row.background),
    webhookUrl: row.webhook_url,
    webhookVerifiedAt: row.webhook_verified_at,
    secretVersion: row.secret_version,
    previousSecretUntil: row.previous_secret_until,
    active: row.active === 1,
    inactiveReason: row.inactive_reason,
    failures: row.failures,
    failingSince: row.failing_since,
    lastMatchedAt: row.last_matched_at,
    createdAt: row.created_at,
  };
}

export function vectorOfBlob(blob: Uint8Array): Int8Array {
  return new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}

export function blobOf(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

const locationOfRow = ({ place_name, lat, lng, approximate }: PostRow): StoredPost["location"] => ({
  name: place_name,
  lat,
  lng,
  ...(approximate === 1 ? { approximate: true } : {}),
});
