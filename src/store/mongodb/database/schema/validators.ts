import type { Document } from "mongodb";
import { KINDS } from "../../../../schema/post.ts";
import type { Documents } from "./documents.ts";

const id = { bsonType: "string", minLength: 1 };
const text = { bsonType: "string" };
const date = { bsonType: "date" };
const dateOrNull = { bsonType: ["date", "null"] };
const whole = { bsonType: ["int", "long", "double"] };
const truth = { bsonType: "bool" };
const oneOf = (...values: readonly string[]) => ({ enum: [...values] });

/**
 * The shapes that the server demands, in collections where a wrong document would do harm: a guard against programs and
 * people that bypass the board. Loose on purpose, so that a newer program may add fields while an older one runs.
 */
export const VALIDATORS: Readonly<Partial<Record<keyof Documents, Document>>> = {
  posts: shape({
    root: id,
    publisher_id: id,
    parent_id: { bsonType: ["string", "null"] },
    is_reply: truth,
    kind: oneOf(...KINDS),
    state: oneOf("active", "hidden", "removed"),
    win_start: date,
    win_end: date,
    expires_at: date,
    created_at: date,
    updated_at: date,
    reply_count: whole,
    fingerprint: text,
  }),
  publishers: shape({
    key_hash: text,
    post_count: whole,
    verified_at: dateOrNull,
    suspended_at: dateOrNull,
    created_at: date,
    erasing: truth,
  }),
  inbox: shape({
    publisher_id: id,
    no: whole,
    type: oneOf("reply", "match", "activity"),
    at: date,
    post_id: id,
  }),
  subscriptions: shape({
    publisher_id: id,
    query: text,
    active: truth,
    created_at: date,
    next_delivery: whole,
    change_no: whole,
  }),
  deliveries: shape({
    subscription_id: id,
    post_id: id,
    delivery_id: whole,
    matched_at: dateOrNull,
  }),
  pushes: shape({
    subscription_id: id,
    delivery_id: whole,
    state: oneOf("waiting", "delivered", "failed", "cancelled"),
    due_at: dateOrNull,
    attempts: whole,
  }),
  reports: shape({ post_id: id, reporter: id, created_at: date }),
  leases: shape({ ends_at: date, fence: whole }),
};

function shape(properties: Record<string, Document>): Document {
  return {
    $jsonSchema: {
      bsonType: "object",
      required: ["_id", ...Object.keys(properties)],
      properties: { _id: id, ...properties },
    },
  };
}
