import { z } from "zod";
import { REASONS } from "../schema/report.ts";
import { count, id, idOf, moment, type RowOf, record, since, text, wipedTo } from "./record.ts";

export const PUBLISHER = record({
  id,
  name: wipedTo("", text),
  description: wipedTo(null, text.nullable()),
  url: wipedTo(null, text.nullable()),
  domain: wipedTo(null, text.nullable()),
  /** The token of the domain proof stays until the domain changes. */
  verifyToken: wipedTo(null, text.nullable()),
  verifiedAt: wipedTo(null, moment.nullable()),
  verifiedVia: wipedTo(null, z.enum(["dns", "file"]).nullable()),
  /** The proof was last checked then. */
  checkedAt: moment.nullable(),
  suspendedAt: moment.nullable(),
  /** The API key itself is not kept: this is its SHA-256, in hex. */
  keyHash: id,
  /** A recovery of the key by proof of the domain waits for an objection: see `domain/publishers/recovery`. */
  recovery: since(wipedTo(null, text.nullable()), () => null),
  postCount: count,
  createdAt: moment,
});
export type StoredPublisher = RowOf<typeof PUBLISHER>;

/** The sign-in of hosts keeps a client, a sign-in under way, a grant, a code or a token in each. */
export const SIGN_IN = record({
  /**
   * The id of a code or token is its kind, a colon and the SHA-256 of its name, which is what its holder shows, and
   * which is kept nowhere.
   */
  id,
  /** Belongs to this grant, and ends with it. */
  grantId: id.nullable(),
  publisherId: id.nullable(),
  /** Holds JSON. */
  payload: text,
  consumedAt: moment.nullable(),
  expiresAt: moment,
});
export type SignInRow = RowOf<typeof SIGN_IN>;

export const REPORT = record(
  {
    id,
    postId: idOf("post", id),
    /** A reporter is `key:<publisher id>`, or `addr:<keyed hash>` of a visitor without a key. */
    reporter: id,
    /** Has `addr:<keyed hash>` of each address it came from, oldest first; none where none was known. */
    addresses: z.array(id).readonly(),
    reason: z.enum(REASONS),
    details: text.nullable(),
    createdAt: moment,
  },
  [["id"], ["postId", "reporter"]],
);
export type StoredReport = RowOf<typeof REPORT>;

export const MODERATION = record({
  at: moment,
  action: z.enum(["hide", "restore", "remove", "suspend", "reinstate"]),
  /** The subject is a post or a publisher. */
  subject: id,
  /**
   * Somebody acted as `operator`, with a name where one is known; or a post was hidden by itself, for enough `reports`
   * or by the `hold` of first posts.
   */
  actor: z.union([z.enum(["operator", "reports", "hold"]), z.templateLiteral(["operator ", id])]),
  reason: text,
});
export type ModerationEntry = RowOf<typeof MODERATION>;
