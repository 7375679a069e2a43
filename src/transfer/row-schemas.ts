import { z } from "zod";
import { parseUrl } from "../parse-url.ts";
import { numberByTime } from "../ports/store/index.ts";
import type { BoardRows, RowKind } from "../ports/store/transfer.ts";
import { Kind, PostFlag } from "../schema/post.ts";
import { REASONS } from "../schema/report.ts";
import { Breadth, INACTIVE_REASONS } from "../schema/subscription.ts";

const id = z.string().min(1);
/** Epoch milliseconds, as far as a Date goes: lists and pages write them as ISO strings. */
const time = z.int().min(-8.64e15).max(8.64e15);
const count = z.int().min(0);
const text = z.string();
const textOrNull = text.nullable();
const timeOrNull = time.nullable();
/** An object with any keys; a zod record would drop `__proto__`. */
const object = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);
/** zod's own check asks `URL.canParse`: see `parseUrl`. */
const url = text.refine((sent) => parseUrl(sent) !== null, "must be a URL");
const attempt = z.strictObject({ at: time, latencyMs: count, status: z.int().nullable(), error: textOrNull });
const vector = z.base64().transform((base64) => {
  const bytes = Buffer.from(base64, "base64");
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
});

/** Earlier boards also wrote what the rule no longer reads. */
const background = z.object({ ...each(count, "posts", "passing") });
const location = z.strictObject({
  name: textOrNull,
  lat: z.number().min(-90).max(90).nullable(),
  lng: z.number().min(-180).max(180).nullable(),
  approximate: z.literal(true).exactOptional(),
});
const embedding = z.strictObject({ model: id, preparation: id.optional(), vector });

/** Some fields of one form. */
function each<Schema extends z.ZodType, Name extends string>(
  schema: Schema,
  ...names: readonly Name[]
): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

/** A row with a number in the order of writing; boards of 0.1.0 had none. */
function numbered<Shape extends z.ZodRawShape & { createdAt: z.ZodType<number> }, Name extends string>(
  name: Name,
  shape: Shape,
) {
  return z.preprocess(
    (row) =>
      typeof row === "object" && row !== null && "createdAt" in row && !(name in row)
        ? { ...row, [name]: numberByTime(Number(row.createdAt)) }
        : row,
    z.strictObject({ ...shape, [name]: z.int() } as Shape & Record<Name, z.ZodInt>),
  );
}

/** The rows of an export, by kind. Times are epoch milliseconds, vectors int8 in base64. */
export const ROW_SCHEMAS: { readonly [K in RowKind]: z.ZodType<BoardRows[K]> } = {
  setting: z.strictObject({ name: id, value: text }),
  publisher: z.strictObject({
    ...each(id, "id", "keyHash"),
    name: text,
    ...each(textOrNull, "description", "url", "domain", "verifyToken"),
    ...each(timeOrNull, "verifiedAt", "checkedAt", "suspendedAt"),
    verifiedVia: z.enum(["dns", "file"]).nullable(),
    // Boards before 0.2 had none.
    recovery: textOrNull.default(null),
    ...each(count, "postCount", "inboxNo"),
    createdAt: time,
  }),
  post: numbered("writtenNo", {
    ...each(id, "id", "publisherId", "fingerprint"),
    parentId: id.nullable(),
    kind: Kind,
    ...each(text, "title", "body", "inputHash"),
    ...each(textOrNull, "link", "timezone", "sourceUrl", "idempotencyHash"),
    tags: z.array(text),
    location: location.nullable(),
    ...each(time, "expiresAt", "createdAt", "updatedAt"),
    ...each(timeOrNull, "startsAt", "endsAt", "lastReplyAt", "removedAt"),
    ...each(z.boolean(), "expiryChosen", "syndicated"),
    metadata: object,
    ...each(count, "replyCount", "retrievals"),
    flags: z.array(PostFlag),
    state: z.enum(["active", "hidden", "removed"]),
    embedding: embedding.nullable(),
  }),
  subscription: numbered("savedNo", {
    ...each(id, "id", "publisherId"),
    ...each(textOrNull, "label", "vectorModel"),
    webhookRefusal: textOrNull.default(null),
    query: object,
    // Boards before 0.2 had no other.
    breadth: Breadth.default("close"),
    vector: vector.nullable(),
    background: background.nullable(),
    webhookUrl: url.nullable(),
    ...each(timeOrNull, "webhookVerifiedAt", "previousSecretUntil", "failingSince", "lastMatchedAt"),
    ...each(count, "secretVersion", "failures", "nextDelivery"),
    active: z.boolean(),
    inactiveReason: z.enum(INACTIVE_REASONS).nullable(),
    createdAt: time,
  }),
  delivery: z.strictObject({
    ...each(id, "subscriptionId", "postId"),
    deliveryId: count,
    matchedAt: timeOrNull,
  }),
  push: z
    .strictObject({
      ...each(id, "subscriptionId", "postId"),
      ...each(count, "deliveryId", "attempts"),
      matchedAt: time,
      state: z.enum(["waiting", "delivered", "failed", "cancelled"]),
      history: z.array(attempt),
      dueAt: timeOrNull,
    })
    .refine(({ state, dueAt }) => (dueAt !== null) === (state === "waiting"), {
      path: ["dueAt"],
      message: "must be a time for a push that waits, and null for any other",
    }),
  inbox: z.strictObject({
    ...each(id, "publisherId", "postId"),
    no: count,
    type: z.enum(["reply", "match", "activity"]),
    at: time,
    subscriptionId: id.nullable(),
    deliveryId: count.nullable(),
  }),
  report: z.strictObject({
    ...each(id, "id", "postId", "reporter"),
    addresses: z.array(id),
    reason: z.enum(REASONS),
    details: textOrNull,
    createdAt: time,
  }),
  moderation: z.strictObject({
    at: time,
    action: z.enum(["hide", "restore", "remove", "suspend", "reinstate"]),
    subject: id,
    actor: z.enum(["operator", "reports"]),
    reason: text,
  }),
  counter: z.strictObject({ day: z.iso.date(), name: id, n: z.int() }),
  work: z.strictObject({ kind: z.enum(["match", "embed"]), postId: id }),
};
