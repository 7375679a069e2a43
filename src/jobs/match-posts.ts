import { setImmediate as nextTurn } from "node:timers/promises";
import type { Matching, PostToMatch } from "../domain/subscriptions/matching.ts";
import { seriesOf, windowOf } from "../ports/index-entry.ts";
import type { Match, Store, StoredPost } from "../ports/store/index.ts";

const BATCH = 50;
/** Matches recorded in one transaction. */
const DELIVERIES = 200;
/** A worker that dies leaves its posts to others after this time. */
const LEASE_MS = 5_000;

interface Services {
  store: Store;
  matching: Matching;
  modelId: string;
  matched: (publisherIds: Iterable<string>) => void;
}

/**
 * Matches new and changed posts against the standing queries: by words and filters once a post is written, by meaning
 * once it has its vector, which enqueues it again.
 *
 * @param services.matched  told the publishers of matches that were recorded
 * @returns true when more posts may wait
 */
export async function matchPosts(services: Services, now: number): Promise<boolean> {
  const { store, matching, modelId, matched } = services;
  const items = await store.work.claim("match", { limit: BATCH, leaseMs: LEASE_MS, now });
  // This comes after the claim, so that a subscription acknowledged before the post is seen. Where it outlasts the lease,
  // two processes match a post; a match recorded twice counts once.
  await matching.refresh(now);
  if (items.length === 0) return false;
  const claimed = await store.posts.many(items.map((item) => item.postId));
  const next = await tellChanges(services, claimed, now);
  const ids = claimed.map((post) => post.id);
  const posts = [...claimed, ...next.map(({ post }) => post)];
  const parents = await store.posts.many([...new Set(posts.flatMap(({ parentId }) => parentId ?? []))]);
  const answered = new Map(parents.map((parent) => [parent.id, parent.publisherId]));
  const owners = await store.publishers.many([...new Set(posts.map((post) => post.publisherId))]);
  const publishers = new Map(owners.map((row) => [row.id, row]));
  // They come from the store: another process may have given them a moment ago, and an index apart from the store lags
  // behind.
  const vectors = await store.posts.vectors(
    posts.map((post) => post.id),
    modelId,
  );
  const candidates = posts.flatMap((post, i): PostToMatch[] => {
    const publisher = publishers.get(post.publisherId);
    return publisher === undefined
      ? []
      : [{ post, publisher, answers: answered.get(post.parentId ?? "") ?? null, vector: vectors[i] ?? null }];
  });
  const matches: Match[] = [];
  // The next date of a series stands for all.
  candidates.sort((a, b) => (a.post.startsAt ?? 0) - (b.post.startsAt ?? 0));
  for (const candidate of candidates) {
    const key = seriesOf(candidate.post);
    const series = key === null ? null : { key, endsAt: windowOf(candidate.post).windowEnd };
    const isClaimed = ids.includes(candidate.post.id);
    for (const subscriptionId of matching.answeredBy(candidate, now)) {
      const standsIn = next.some(
        ({ post, knew }) => post.id === candidate.post.id && knew.has(subscriptionId),
      );
      if (!isClaimed && !standsIn) continue;
      const match = { subscriptionId, postId: candidate.post.id, matchedAt: now };
      const tellsEach = standsIn || matching.tellsEachDate(subscriptionId);
      matches.push({ ...match, series: tellsEach ? null : series });
    }
    // A post against a million queries takes milliseconds; others get their turn in between.
    await nextTurn();
  }
  // Transactions are bounded; the work is settled with the last, and a pair recorded twice counts once.
  const record = async (some: typeof matches, settled: typeof items) => {
    const recorded = await store.subscriptions.deliver(some, settled);
    if (recorded.length > 0) matched(new Set(recorded.map(({ publisherId }) => publisherId)));
  };
  while (matches.length > DELIVERIES) await record(matches.splice(0, DELIVERIES), []);
  await record(matches, items);
  return items.length === BATCH;
}

/**
 * Tells what changed of posts to those who were told of them.
 * @returns the next dates of series whose told date is gone, with the subscriptions that knew of that
 */
async function tellChanges(
  { store, matching, matched }: Services,
  posts: readonly StoredPost[],
  now: number,
): Promise<{ post: StoredPost; knew: ReadonlySet<string> }[]> {
  const next: { post: StoredPost; knew: ReadonlySet<string> }[] = [];
  for (const gone of posts.filter(({ change }) => change !== null)) {
    const told = await store.subscriptions.tellChange(gone.id, now);
    if (told.length > 0) matched(new Set(told.map(({ publisherId }) => publisherId)));
    const post = await matching.nextOf(gone, now);
    if (post !== null) next.push({ post, knew: new Set(await store.subscriptions.toldOf(gone.id)) });
  }
  return next;
}
