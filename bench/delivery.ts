/**
 * How soon after a post's creation does polling see its match, and is its webhook called, on a board with many standing
 * queries? And how soon beside receivers that never answer or always fail?
 *
 *   [EMBEDDINGS=off] npx tsx bench/delivery.ts [posts = 200] [saved queries = 10000]
 */
import { StandingQuery } from "../src/schema/subscription.ts";
import { startBoard, type TestBoard } from "../test/support/boards/board.ts";
import { call, eventually, register } from "../test/support/boards/client.ts";
import { startWebhook, subscribeTo, type Webhook } from "../test/support/clients/webhooks.ts";
import { distinctText } from "../test/support/texts/texts.ts";
import { notices } from "./support/corpus.ts";
import { machine, ms, percentiles } from "./support/measure.ts";
import { newPublisher } from "./support/writing.ts";

const QUERIES_PER_PUBLISHER = 50;
/** Ten posts a second. */
const PAUSE_MS = 100;

/** Milliseconds from the answer to a creation, one for each post, in no order. */
export interface Delays {
  pending: number[];
  webhook: number[];
}

/** Writes posts in a steady stream, each matched against the standing queries of others. */
export async function measureDelays(posts: number, queries: number, embeddings = "off"): Promise<Delays> {
  const board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1", EMBEDDINGS: embeddings });
  const webhook = await startWebhook();
  let over = false;
  try {
    await board.board.embedder.settled();
    await saveQueries(board, queries);
    const { key } = await register(board);
    const { id } = await subscribeTo(board, key, webhook, { tags: "measured" });
    const seen = new Map<string, number>();
    const polling = poll(board, key, id, seen, () => over);
    const created = await writeSteadily(board, key, posts);
    await eventually(
      async () => Math.min(seen.size, webhook.messages.length),
      (n) => n >= posts,
      30_000,
    );
    over = true;
    await polling;
    return { pending: delays(created, seen), webhook: delays(created, arrivals(webhook)) };
  } finally {
    over = true;
    await board.stop();
    await webhook.stop();
  }
}

/** Deliveries to a good receiver beside a silent and a failing one; all three are sent every post. */
export async function measureNeighbours(posts: number): Promise<number[]> {
  const board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" });
  const good = await startWebhook();
  const silent = await startWebhook(() => ({ delayMs: 11_000 }));
  const failing = await startWebhook(() => ({ status: 500 }));
  try {
    const { key } = await register(board);
    for (const webhook of [silent, failing, good])
      await subscribeTo(board, key, webhook, { tags: "measured" });
    const created = await writeSteadily(board, key, posts);
    await eventually(
      async () => good.messages.length,
      (n) => n >= posts,
      30_000,
    );
    return delays(created, arrivals(good));
  } finally {
    await board.stop();
    await Promise.all([good.stop(), silent.stop(), failing.stop()]);
  }
}

/** Standing queries of other publishers, for the things and places of the notices. */
async function saveQueries({ board }: TestBoard, count: number): Promise<void> {
  const { subscriptions } = board.services;
  const wanted = notices(count, Date.now());
  for (let from = 0; from < count; from += QUERIES_PER_PUBLISHER) {
    const owner = await newPublisher(board);
    await Promise.all(
      wanted.slice(from, from + QUERIES_PER_PUBLISHER).map(({ kind, tags, location }) => {
        const [thing] = tags as string[];
        const { lat, lng } = location as { lat: number; lng: number };
        const query = StandingQuery.parse({ q: thing, kind, near: `${lat},${lng}`, radius_km: 25 });
        return subscriptions.create({ query }, owner, Date.now());
      }),
    );
  }
}

/** Resolves to the time at which each post's creation was answered. */
async function writeSteadily(board: TestBoard, key: string, count: number): Promise<Map<string, number>> {
  const created = new Map<string, number>();
  const writing = notices(count, Date.now()).map(async (notice, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * PAUSE_MS));
    // Notices are alike by design; words of its own keep each from being a near-duplicate.
    const body = `${notice["body"]} ${distinctText(i).body} ${distinctText(i + 5_000).body}`;
    const sent = { ...notice, body, tags: [...(notice["tags"] as string[]), "measured"] };
    const answer = await call(board, "POST /posts", sent, { key });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    created.set(answer.body.data.id, Date.now());
  });
  await Promise.all(writing);
  return created;
}

async function poll(
  board: TestBoard,
  key: string,
  id: string,
  seen: Map<string, number>,
  over: () => boolean,
): Promise<void> {
  let cursor = "";
  while (!over()) {
    const page = `GET /subscriptions/${id}/pending?limit=100${cursor}` as const;
    const { body } = await call(board, page, undefined, { key });
    for (const post of body.data) seen.set(post.id, Date.now());
    if (body.next_cursor !== null) cursor = `&cursor=${body.next_cursor}`;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Milliseconds from one time of each post to another; infinite where there is none. */
const delays = (from: Map<string, number>, to: Map<string, number>) =>
  [...from].map(([post, at]) => Math.max(0, (to.get(post) ?? Number.POSITIVE_INFINITY) - at));

/** When a receiver was called, by post. */
const arrivals = ({ messages }: Webhook) =>
  new Map(messages.map(({ json, at }) => [json.data.post.id as string, at]));

if (process.argv[1] === import.meta.filename) {
  const posts = Number(process.argv[2] ?? 200);
  const queries = Number(process.argv[3] ?? 10_000);
  const embeddings = process.env["EMBEDDINGS"] ?? "auto";
  const line = (what: string, times: readonly number[]) => {
    const { p50, p95 } = percentiles(times);
    console.log(`${what.padEnd(42)} ${ms(p50)} / ${ms(p95)} / ${ms(Math.max(...times))}`);
  };
  console.log(
    `${posts} posts, ten a second, ${queries} saved queries, embeddings ${embeddings}; ${machine()}`,
  );
  console.log("ms after the creation was answered: p50 / p95 / longest");
  const { pending, webhook } = await measureDelays(posts, queries, embeddings);
  line("seen by polling", pending);
  line("webhook called", webhook);
  line("beside a silent and a failing receiver", await measureNeighbours(100));
}
