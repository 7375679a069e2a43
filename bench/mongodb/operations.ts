import type { SearchIndex } from "../../src/ports/search-index.ts";
import type { ClaimedPush, Store } from "../../src/ports/store/index.ts";
import type { PostFilter } from "../../src/schema/filter.ts";
import {
  DIMENSION,
  keyHash,
  MODEL,
  postId,
  postRow,
  publisherId,
  questionOf,
  subscriptionId,
  subscriptionRow,
} from "../support/board-fill.ts";

/** A filled store with its index. */
export interface Place {
  store: Store;
  index: Pick<SearchIndex, "list">;
  posts: number;
  subscriptions: number;
  /** Epoch milliseconds; the board was filled as of then. */
  now: number;
}

/** A question that the product asks a store. */
export interface Operation {
  name: string;
  /** @param n  another number at each call */
  run(place: Place, n: number): Promise<unknown>;
  /** Calls in one round, where they differ from the usual number. */
  calls?: number;
  /** Runs after each round, untimed. */
  after?(place: Place): Promise<void>;
}

const DAY_MS = 86_400_000;
const PAGE = 20;
const LEASE_MS = 3_600_000;
/** The product's bound on pushes under way. */
const PUSHES = 50;
const AMSTERDAM = { lat: 52.37, lng: 4.9, radiusKm: 25 };
/** A prime: steps of this length meet posts all over the board. */
const STRIDE = 7_919;
const NOTICE = {
  title: "Offering a road bike, hardly used",
  body: "It has been serviced last spring and the invoice is at hand. Pick-up only, no shipping.",
  kind: "offer",
  // No tag that the lists ask for: thousands of these relayed posts would come before all first-hand ones.
  tags: ["written", "amsterdam"],
  location: { name: "Amsterdam", lat: 52.37, lng: 4.9 },
};
const TWO_KINDS = { kinds: ["offer", "event"] } satisfies Partial<PostFilter>;

/** Lists by filters alone. */
export const LISTS: readonly Operation[] = [
  { name: "newest 20", run: (place) => listed(place, "newest", {}) },
  { name: "newest 20 of 2 kinds", run: (place) => listed(place, "newest", TWO_KINDS) },
  {
    name: "newest 20 of 2 kinds, 2 tags, first-hand",
    run: (place) =>
      listed(place, "newest", { ...TWO_KINDS, tags: ["bike", "cinema"], includeSyndicated: false }),
  },
  {
    name: "soonest 20 in a week",
    run: (place) => listed(place, "soonest", { after: place.now, before: place.now + 7 * DAY_MS }),
  },
  {
    name: "newest 20 within 25 km, a kind and a window",
    run: (place) =>
      listed(place, "newest", {
        kinds: ["event"],
        near: AMSTERDAM,
        after: place.now,
        before: place.now + 30 * DAY_MS,
      }),
  },
];

/** In the order of measuring: what is claimed was inserted before. */
export const OPERATIONS: readonly Operation[] = [
  { name: "ping", run: ({ store }) => store.ping() },
  { name: "get", run: ({ store, posts }, n) => store.posts.get(postId((n * STRIDE) % posts)) },
  {
    name: "20 by id",
    run: ({ store, posts }, n) =>
      store.posts.many(Array.from({ length: PAGE }, (_, i) => at(n * PAGE + i, posts))),
  },
  {
    name: "1,000 vectors by id",
    run: ({ store, posts }, n) =>
      store.posts.vectors(
        Array.from({ length: 1_000 }, (_, i) => at(n * 1_000 + i, posts)),
        MODEL,
      ),
    calls: 50,
  },
  ...LISTS,
  {
    name: "replies of a thread",
    run: ({ store, posts }, n) =>
      store.posts.replies(postId(((n * STRIDE) % (posts / 5)) * 5), { after: null, limit: PAGE }),
  },
  { name: "publisher by key", run: ({ store }, n) => store.publishers.byKeyHash(keyHash(n % 1_000)) },
  { name: "limits.add", run: ({ store, now }, n) => store.limits.add(`read:${n % 50}`, 1, 60_000, now) },
  { name: "counts", run: ({ store, now }) => store.statistics.counts(now) },
  { name: "overview", run: ({ store, now }) => store.statistics.overview(now, 14), calls: 10 },
  {
    name: "pending of a subscription",
    run: ({ store, subscriptions }, n) =>
      store.subscriptions.pending(subscriptionId(n % subscriptions), 0, PAGE),
  },
  { name: "insert", run: ({ store, now }, n) => store.posts.insert(newPost(n, null, now)) },
  {
    name: "insert a reply",
    run: ({ store, now, posts }, n) => {
      const root = postId(((n * STRIDE) % (posts / 5)) * 5);
      return store.posts.insert(newPost(n, root, now), { admit: () => now + DAY_MS });
    },
  },
  {
    name: "work claim of 1",
    run: ({ store, now }) => store.work.claim("match", { limit: 1, leaseMs: LEASE_MS, now: now + DAY_MS }),
  },
  {
    name: "work claim of 1, and done",
    async run({ store, now }) {
      await store.work.done(
        await store.work.claim("embed", { limit: 1, leaseMs: LEASE_MS, now: now + DAY_MS }),
      );
    },
  },
  {
    name: "save a query",
    run: ({ store, now }, n) => store.subscriptions.insert(subscriptionRow(1_000_000 + n, now), 1_000_000),
  },
  { name: "deliver 1", run: (place, n) => deliver(place, n, [0]) },
  { name: "deliver 10", run: (place, n) => deliver(place, n, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]) },
  { name: "deliver 1, with its push", run: (place, n) => deliver(place, n, [9]), calls: 2 * PUSHES },
  { name: "push claim of 1", run: (place) => claimPushes(place, 1), calls: PUSHES },
  { name: "push settle", run: settlePush, calls: PUSHES },
  { name: "push claim of 10", run: (place) => claimPushes(place, 10), calls: PUSHES / 10, after: giveBack },
];

async function listed(
  { store, index, now }: Place,
  order: "newest" | "soonest",
  filter: Partial<PostFilter>,
): Promise<void> {
  const places = await index.list(questionOf(now, filter), { order, after: null, limit: PAGE });
  if (places.length === 0) throw new Error("the filter of the bench finds nothing");
  await store.posts.many(places.map(({ id }) => id));
}

const at = (n: number, posts: number) => postId((n * STRIDE) % posts);

export function newPost(n: number, root: string | null, now: number) {
  const { embedding, removedAt, ...post } = postRow(0, NOTICE, new Int8Array(DIMENSION), now);
  const id =
    root === null ? `n${String(n).padStart(9, "0")}` : `${root}-n${String(n % 100_000).padStart(5, "0")}`;
  return { ...post, id, parentId: root, publisherId: publisherId(n), replyCount: 0 };
}

/** New pairs for ten subscriptions in a row, of which the last is pushed. */
async function deliver(
  { store, posts, subscriptions, now }: Place,
  n: number,
  which: number[],
): Promise<void> {
  const first = (n * 10) % subscriptions;
  // Posts near the end of the board, which the filling delivered to other subscriptions.
  const post = postId(posts - 1 - (n % Math.floor(posts / 2)));
  const matches = which.map((i) => ({
    subscriptionId: subscriptionId((first + i) % subscriptions),
    postId: post,
    matchedAt: now,
  }));
  await store.subscriptions.deliver(matches, []);
}

/** Pushes that are claimed and not settled yet, by store. */
const claimed = new WeakMap<Store, ClaimedPush[]>();

async function claimPushes({ store, now }: Place, limit: number): Promise<void> {
  const mine = claimed.get(store) ?? [];
  claimed.set(store, mine);
  const bounds = { limit, perOrigin: PUSHES, failing: PUSHES };
  mine.push(...(await store.pushes.claim({ ...bounds, leaseMs: LEASE_MS, now })));
}

async function settlePush({ store, now }: Place): Promise<void> {
  const push = claimed.get(store)?.pop();
  if (push === undefined) throw new Error("the bench claims too few pushes");
  const attempt = { at: now, latencyMs: 50, status: 204, error: null };
  await store.pushes.settle(push, attempt, { state: "delivered", dueAt: null, deactivate: null });
}

async function giveBack({ store }: Place): Promise<void> {
  await store.pushes.giveBack(claimed.get(store)?.splice(0) ?? []);
}
