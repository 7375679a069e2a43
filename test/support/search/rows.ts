import { DAY_MS } from "../../../src/platform/time.ts";
import { indexEntryOf } from "../../../src/ports/index-entry.ts";
import type { IndexEntry } from "../../../src/ports/search-index.ts";
import type {
  StoredPost,
  StoredPublisher,
  StoredReport,
  StoredSubscription,
} from "../../../src/ports/store/index.ts";

/** Creation time of rows that set no other. */
export const T0 = Date.UTC(2026, 10, 20, 12);

export function aPublisher(id: string, over: Partial<StoredPublisher> = {}): StoredPublisher {
  return {
    id,
    name: `Name of ${id}`,
    description: "Posts what happens in town.",
    url: "https://example.org/",
    domain: "example.org",
    verifyToken: "tok",
    verifiedAt: null,
    verifiedVia: null,
    checkedAt: null,
    suspendedAt: null,
    keyHash: `hash of ${id}`,
    recovery: null,
    postCount: 0,
    createdAt: T0,
    ...over,
  };
}

export function aPost(id: string, over: Partial<StoredPost> = {}): StoredPost {
  return {
    id,
    publisherId: "pub_a",
    kind: "offer",
    title: `Title of ${id}`,
    body: "A road bike, well kept.\nPick it up in Noord.",
    link: "https://example.org/bike",
    tags: ["bike", "amsterdam"],
    location: { name: "Amsterdam", lat: 52.37, lng: 4.9 },
    startsAt: null,
    endsAt: null,
    timezone: "Europe/Amsterdam",
    expiresAt: T0 + 30 * DAY_MS,
    expiryChosen: false,
    sourceUrl: null,
    syndicated: false,
    metadata: { price: { amount: 120.5, currency: "EUR" }, sizes: [54, 56], note: null },
    parentId: null,
    replyCount: 0,
    lastReplyAt: null,
    flags: ["many_links"],
    fingerprint: "0123456789abcdef",
    inputHash: "ab".repeat(32),
    idempotencyHash: null,
    retrievals: 0,
    createdAt: T0,
    updatedAt: T0,
    writtenNo: 0,
    change: null,
    state: "active",
    ...over,
  };
}

/** What a post may do without. */
export const BARE = { link: null, tags: [], location: null, timezone: null, metadata: {}, flags: [] };

const PLAIN = { title: "Title", body: "Body", link: null, tags: [], location: null, publisherId: "pub_1" };

/** A post as an index reads it, for a day, with nothing but what `fields` say. */
export const anEntry = (fields: Partial<IndexEntry> & { id: string }): IndexEntry => ({
  ...indexEntryOf(aPost(fields.id, { ...PLAIN, expiresAt: T0 + DAY_MS })),
  ...fields,
});

export function aSubscription(id: string, over: Partial<StoredSubscription> = {}): StoredSubscription {
  return {
    id,
    publisherId: "pub_a",
    label: "bikes",
    query: { q: "road bike", kind: ["offer"], near: "52.37,4.90" },
    breadth: "close",
    changes: true,
    vector: null,
    vectorModel: null,
    background: null,
    webhookUrl: null,
    webhookVerifiedAt: null,
    webhookRefusal: null,
    secretVersion: 1,
    previousSecretUntil: null,
    event: null,
    expiresAt: null,
    clientSecret: null,
    previousClientSecret: null,
    active: true,
    inactiveReason: null,
    failures: 0,
    failingSince: null,
    lastMatchedAt: null,
    createdAt: T0,
    savedNo: 0,
    ...over,
  };
}

export const aReport = (id: string, over: Partial<StoredReport> = {}): StoredReport => ({
  id,
  postId: "p",
  reporter: "addr:1",
  addresses: [over.reporter ?? "addr:1"],
  reason: "spam",
  details: null,
  createdAt: T0,
  ...over,
});

/** A vector of the size of a post's, with the same number throughout. */
export const aVector = (fill: number) => new Int8Array(384).fill(fill);
