import { z } from "zod";
import { parseUrl } from "../parse-url.ts";
import type { BoardRows, RowKind } from "../ports/store/transfer.ts";
import { Kind, PostFlag } from "../schema/post.ts";
import { REASONS } from "../schema/report.ts";
import { INACTIVE_REASONS } from "../schema/subscription.ts";

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

const background = z.strictObject({ posts: count, passing: count, compared: count, meanCosine: z.number() });

/** The rows of an export, by kind. Times are epoch milliseconds, vectors int8 in base64. */
export const ROW_SCHEMAS: { readonly [K in RowKind]: z.ZodType<BoardRows[K]> } = {
  setting: z.strictObject({ name: id, value: text }),
  publisher: z.strictObject({
    id,
    name: text,
    description: textOrNull,
    url: textOrNull,
    domain: textOrNull,
    verifyToken: textOrNull,
    verifiedAt: timeOrNull,
    verifiedVia: z.enum(["dns", "file"]).nullable(),
    checkedAt: timeOrNull,
    suspendedAt: timeOrNull,
    keyHash: id,
    postCount: count,
    createdAt: time,
    inboxNo: count,
  }),
  post: z.strictObject({
    id,
    publisherId: id,
    kind: Kind,
    title: text,
    body: text,
    link: textOrNull,
    tags: z.array(text),
    location: z
      .strictObject({
        name: textOrNull,
        lat: z.number().nullable(),
        lng: z.number().nullable(),
        approximate: z.literal(true).exactOptional(),
      })
      .nullable(),
    startsAt: timeOrNull,
    endsAt: timeOrNull,
    timezone: textOrNull,
    expiresAt: time,
    expiryChosen: z.boolean(),
    sourceUrl: textOrNull,
    syndicated: z.boolean(),
    metadata: object,
    parentId: id.nullable(),
    replyCount: count,
    lastReplyAt: timeOrNull,
    flags: z.array(PostFlag),
    fingerprint: id,
    inputHash: z.string(),
    idempotencyHash: z.string().nullable(),
    retrievals: count,
    createdAt: time,
    updatedAt: time,
    state: z.enum(["active", "hidden", "removed"]),
    removedAt: timeOrNull,
    embedding: z.strictObject({ model: id, preparation: id.optional(), vector }).nullable(),
  }),
  subscription: z
    .strictObject({
      id,
      publisherId: id,
      label: textOrNull,
      query: object,
      vector: vector.nullable(),
      vectorModel: textOrNull,
      // Exports of older releases lack the background, and have what queries learnt.
      background: background.nullable().default(null),
      learning: z.unknown().optional(),
      webhookUrl: url.nullable(),
      webhookVerifiedAt: timeOrNull,
      secretVersion: count,
      previousSecretUntil: timeOrNull,
      active: z.boolean(),
      inactiveReason: z.enum(INACTIVE_REASONS).nullable(),
      failures: count,
      failingSince: timeOrNull,
      lastMatchedAt: timeOrNull,
      createdAt: time,
      nextDelivery: count,
    })
    .transform(({ learning: _learning, ...subscription }) => subscription),
  delivery: z.strictObject({ subscriptionId: id, postId: id, deliveryId: count, matchedAt: timeOrNull }),
  push: z
    .strictObject({
      subscriptionId: id,
      deliveryId: count,
      postId: id,
      matchedAt: time,
      state: z.enum(["waiting", "delivered", "failed", "cancelled"]),
      attempts: count,
      history: z.array(attempt).optional(),
      // Exports of older releases have the latest attempt alone.
      lastAttempt: attempt.nullable().optional(),
      dueAt: timeOrNull,
    })
    .refine(({ state, dueAt }) => (dueAt !== null) === (state === "waiting"), {
      path: ["dueAt"],
      message: "must be a time for a push that waits, and null for any other",
    })
    .transform(({ history, lastAttempt, ...push }) => ({
      ...push,
      history: history ?? (lastAttempt == null ? [] : [lastAttempt]),
    })),
  inbox: z.strictObject({
    publisherId: id,
    no: count,
    type: z.enum(["reply", "match", "activity"]),
    at: time,
    postId: id,
    subscriptionId: id.nullable(),
    deliveryId: count.nullable(),
  }),
  report: z
    .strictObject({
      id,
      postId: id,
      reporter: id,
      addresses: z.array(id).optional(),
      // Exports of older releases have the first address alone, or none.
      address: id.nullable().optional(),
      reason: z.enum(REASONS),
      details: textOrNull,
      createdAt: time,
    })
    .transform(({ addresses, address, ...report }) => ({
      ...report,
      addresses: addresses ?? (address == null ? [] : [address]),
    })),
  reported: z.strictObject({ postId: id, reporters: count, lastAt: time }),
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
