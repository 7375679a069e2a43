import { z } from "zod";
import { Kind, PostFlag } from "../schema/post.ts";
import { change } from "./change.ts";
import {
  count,
  free,
  id,
  idOf,
  moment,
  type RowOf,
  record,
  since,
  text,
  vector,
  wipedTo,
  written,
} from "./record.ts";

const STATES = ["active", "hidden", "removed"] as const;

/** Numbers a row from before there were numbers: in the order of time, and below all others. */
export const numberByTime = (createdAt: number): number => createdAt - 8.64e15;

/** Rows that boards of 0.1.0 wrote without the number of a change get one. */
export const changeNumber = since(z.int(), ({ createdAt }) =>
  typeof createdAt === "number" ? numberByTime(createdAt) : undefined,
);

export const POST = record({
  id,
  publisherId: idOf("publisher", id),
  kind: Kind,
  title: written("", text),
  body: written("", text),
  link: written(null, text.nullable()),
  tags: written([], z.array(text).readonly()),
  /** The precision is `approximate` where the coordinates are those of the named place. */
  location: written(
    null,
    z
      .strictObject({
        name: text.nullable(),
        lat: z.number().min(-90).max(90).nullable(),
        lng: z.number().min(-180).max(180).nullable(),
        approximate: z.literal(true).exactOptional(),
      })
      .nullable(),
  ),
  startsAt: moment.nullable(),
  endsAt: moment.nullable(),
  timezone: written(null, text.nullable()),
  expiresAt: moment,
  /** True when the publisher chose `expiresAt`; a default one follows the dates at an edit. */
  expiryChosen: z.boolean(),
  sourceUrl: written(null, text.nullable()),
  syndicated: z.boolean(),
  metadata: written({}, free),
  parentId: idOf("post", id.nullable()),
  replyCount: wipedTo(0, count),
  lastReplyAt: wipedTo(null, moment.nullable()),
  flags: wipedTo([], z.array(PostFlag).readonly()),
  /** A similarity hash of 64 bits, as 16 hex digits, stands for the text: near-identical texts differ in few bits. */
  fingerprint: id,
  /**
   * The SHA-256 of the input as it was sent, in hex, tells whether a replayed idempotency key carries the same post.
   * The hash is empty without such a key.
   */
  inputHash: text,
  /** The SHA-256 of its idempotency key, in hex, differs between all posts of a publisher; null stands for no key. */
  idempotencyHash: text.nullable(),
  retrievals: count,
  createdAt: moment,
  updatedAt: moment,
  /**
   * The number of the last change of a saved query when the post was written tells which queries are older than the
   * post: those whose `savedNo` is not above it. An insert sets it, whatever is given, and so does the change that
   * shows a held post for the first time.
   */
  writtenNo: changeNumber,
  /** Who was told of it has not heard this yet; an edit or a removal sets it, and its work takes it off. */
  change,
  state: z.enum(STATES),
});
export type StoredPost = RowOf<typeof POST>;

/** This lies beside a post and moves with it: `removedAt` goes with state `removed`, and nothing its publisher wrote is left. */
export const BESIDE_POST = {
  removedAt: moment.nullable(),
  embedding: z.strictObject({ model: id, preparation: id.optional(), vector }).nullable(),
};
