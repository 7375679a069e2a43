import { z } from "zod";
import { REASONS } from "../schema/report.ts";
import { count, id, idOf, moment, type RowOf, record, since, text, wipedTo } from "./record.ts";

export const PUBLISHER = record({
  id,
  name: wipedTo("", text),
  description: wipedTo(null, text.nullable()),
  url: wipedTo(null, text.nullable()),
  domain: wipedTo(null, text.nullable()),
  /** It is the token of the domain proof, and stays until the domain changes. */
  verifyToken: wipedTo(null, text.nullable()),
  verifiedAt: wipedTo(null, moment.nullable()),
  verifiedVia: wipedTo(null, z.enum(["dns", "file"]).nullable()),
  /** The proof was last checked then. */
  checkedAt: moment.nullable(),
  suspendedAt: moment.nullable(),
  /** It is the SHA-256 of the API key, in hex. */
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
   * It is its kind, a colon and the SHA-256 of its name. The name of a code or token is what its holder shows; it is kept
   * nowhere.
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
    /** It is `key:<publisher id>`, or `addr:<keyed hash>` of a visitor without a key. */
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
  /** It is the id of a post or publisher. */
  subject: id,
  /**
   * It is `operator`, with a name where one is known; or what hid a post by itself: enough `reports`, or the `hold` of
   * first posts.
   */
  actor: z.union([z.enum(["operator", "reports", "hold"]), z.templateLiteral(["operator ", id])]),
  reason: text,
});
export type ModerationEntry = RowOf<typeof MODERATION>;
