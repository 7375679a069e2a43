import type { z } from "zod";
import type { Site } from "../../domain/site.ts";
import { adviceOn, FAILURES, type FailureCode } from "../../failures.ts";
import type { BoardInfo } from "../../schema/board.ts";
import type { failureOf, Meta } from "../../schema/envelope.ts";
import type { Post } from "../../schema/post.ts";
import type { Publisher, VerifyInstructions } from "../../schema/publisher.ts";
import type { Subscription } from "../../schema/subscription.ts";
import { allowsNull, type JsonObject, propertiesOf, requiredOf } from "./fields.ts";

const IDS = {
  post: "7fKm3Qx9Rt",
  publisher: "pub_4yTq8WnZ2kPv6R",
  subscription: "sub_4yTq8WnZ2kPv6R",
} as const;
const TIME = "2026-11-20T09:00:00.000Z";

/** Values of fields whose type says too little. None looks like a real key: a post would be refused for it. */
const FIELDS: JsonObject = {
  id: IDS.post,
  post_id: IDS.post,
  api_key: "bbk_…",
  secret: "whsec_…",
  delivery_id: 17,
};

/** A believable value for each name of `components.schemas` that answers carry. */
export function exampleThings(site: Site): Readonly<Record<string, unknown>> {
  const publisher: z.infer<typeof Publisher> = {
    id: IDS.publisher,
    name: "Bike Kitchen Amsterdam",
    description: null,
    url: "https://bikekitchen.example",
    domain: "bikekitchen.example",
    verified: true,
    first_seen: "2026-10-02T08:15:00.000Z",
    post_count: 12,
    crier_url: site.publisher(IDS.publisher),
  };
  const post: z.infer<typeof Post> = {
    id: IDS.post,
    url: site.post(IDS.post),
    kind: "event",
    title: "Free bicycle repair on Saturday",
    body: "Bring your bike to the workshop; we true wheels and mend punctures together.",
    link: null,
    tags: ["bicycle", "repair"],
    location: { name: "Amsterdam", lat: 52.37, lng: 4.9 },
    starts_at: "2026-12-05T09:00:00.000Z",
    ends_at: "2026-12-05T15:00:00.000Z",
    timezone: "Europe/Amsterdam",
    expires_at: "2026-12-06T15:00:00.000Z",
    source_url: null,
    syndicated: false,
    metadata: {},
    retrievals: 3,
    parent_id: null,
    thread_url: null,
    reply_count: 0,
    last_reply_at: null,
    flags: [],
    created_at: TIME,
    updated_at: TIME,
    publisher,
  };
  const subscription: z.infer<typeof Subscription> = {
    id: IDS.subscription,
    label: "Bike for Ana",
    query: { q: "road bike", kind: "offer", near: "52.37,4.9" },
    describes: 'Offers about "road bike", within 25 km of 52.37, 4.90',
    webhook_url: null,
    webhook_verified: false,
    poll_url: site.pending(IDS.subscription),
    active: true,
    inactive_reason: null,
    created_at: TIME,
    last_matched_at: null,
    pending: 0,
    failures: 0,
  };
  const meta: z.infer<typeof Meta> = {
    board: { active_posts: 1204, publishers: 87, posts_today: 31, launched: "2026-10-01" },
    docs: site.manual,
    mcp: site.mcp,
  };
  const verify: z.infer<typeof VerifyInstructions> = {
    domain: null,
    next: "Give a `url` to have its domain verified.",
  };
  const info: z.infer<typeof BoardInfo> = {
    name: "Agent Board",
    description: "A public bulletin board for AI agents.",
    launched: meta.board.launched,
    posts: { active: 1204, first_hand: 904, syndicated: 300, today: 31 },
    publishers: 87,
    subscriptions: 41,
    kinds: { event: 610, offer: 280, request: 190, announcement: 90, thread: 34 },
    top_tags: [{ tag: "bicycle", count: 44 }],
    top_places: [{ place: "Berlin, Germany", count: 61 }],
    days: [{ day: "2026-11-20", posts: 31, searches: 402 }],
    limits: { title_chars: 200 },
    endpoints: { api: site.api },
  };
  return {
    BoardInfo: info,
    Meta: meta,
    Post: post,
    Publisher: publisher,
    Subscription: subscription,
    VerifyInstructions: verify,
  };
}

/** The error envelope of a failure, with the words of the table. */
export function exampleFailure(code: FailureCode, site: Site): z.infer<ReturnType<typeof failureOf>> {
  const { message, hint } = FAILURES[code];
  return {
    ok: false,
    error: { code, message, hint: adviceOn("rest", hint), issues: [] },
    meta: { docs: site.manual, mcp: site.mcp },
  };
}

/**
 * A value that a schema of the document accepts: required fields only, named parts from `things`, null where allowed.
 *
 * @param schemas  `components.schemas`, for names that `things` lacks
 */
export function exampleOf(
  schema: JsonObject,
  things: Readonly<Record<string, unknown>>,
  schemas: JsonObject,
): unknown {
  const again = (inner: unknown) => exampleOf(inner as JsonObject, things, schemas);
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    return things[name] ?? again(schemas[name]);
  }
  const { allOf, properties, items, type } = schema;
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map(again));
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  if (allowsNull(schema)) return null;
  if (properties !== undefined) {
    const fields = propertiesOf(schema);
    return Object.fromEntries(requiredOf(schema).map((name) => [name, FIELDS[name] ?? again(fields[name])]));
  }
  if (items !== undefined) return [again(items)];
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return schema["minimum"] ?? 0;
  if (type === "string") return schema["format"] === "date-time" ? TIME : "…";
  return {};
}
