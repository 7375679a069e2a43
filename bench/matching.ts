/**
 * How long does a post take beside many saved queries? Queries and posts are those of the labelled sets, over and over,
 * with the model's vectors, so that as many pass the filters and come near as on a board.
 *
 *   npx tsx bench/matching.ts 10000 100000
 */
import { BoardModel } from "../src/domain/board/embedding-model.ts";
import { Matching } from "../src/domain/subscriptions/matching.ts";
import { makerOf } from "../src/domain/subscriptions/meaning.ts";
import type { SearchIndex } from "../src/ports/search-index.ts";
import type { Store } from "../src/ports/store/index.ts";
import { Kind } from "../src/schema/post.ts";
import { aPost, aPublisher, aSubscription } from "../test/support/search/rows.ts";
import { labelledPairs, vectorsOf } from "./standing-rule/pairs.ts";
import { ms, percentiles } from "./support/measure.ts";
import { openModel } from "./support/model.ts";

const NOW = Date.UTC(2026, 11, 10);
const POSTS = 300;

const sizes = process.argv.slice(2).map(Number);
const embedder = await openModel();
const sets = ["first", "second", "third"].map(labelledPairs);
const vectors = await vectorsOf(sets, embedder);
const saved = sets.flatMap(({ queries, posts }) =>
  queries.map((query) => ({ ...query, posts: posts.length, vector: vectors.get(query.id) ?? null })),
);
const notices = sets.flatMap(({ posts }) => posts);

for (const size of sizes.length === 0 ? [10_000] : sizes) {
  const rows = Array.from({ length: size }, (_, i) => {
    const { sent, vector, posts } = saved[i % saved.length] as (typeof saved)[number];
    const row = aSubscription(`sub_${i}`, {
      query: sent,
      vector,
      vectorModel: makerOf(embedder),
      background: { posts, passing: 50 },
      createdAt: 0,
    });
    return { id: row.id, subscription: row };
  });
  const changes = async (after: number, limit: number) => {
    const page = rows.slice(after, after + limit);
    return { next: after + page.length, rows: page };
  };
  const store = { subscriptions: { changes } } as unknown as Store;
  const index = { ready: () => false } as SearchIndex;
  const matching = new Matching({ store, index, embedder, boardModel: new BoardModel({ store, embedder }) });
  await matching.refresh(NOW);
  let found = 0;
  const times: number[] = [];
  for (let at = 0; at < POSTS; at += 1) {
    const notice = notices[(at * 7) % notices.length] as (typeof notices)[number];
    const { title, body, tags, placeName: name, lat, lng } = notice;
    const kind = Kind.parse(notice.kind);
    const fields = {
      kind,
      title,
      body,
      tags,
      location: { name, lat, lng },
      createdAt: NOW,
      expiresAt: NOW + 1e9,
    };
    const post = aPost(`post${at}`, fields);
    const began = performance.now();
    found += matching.answeredBy(
      { post, publisher: aPublisher("pub_1"), vector: vectors.get(notice.id) ?? null },
      NOW,
    ).length;
    times.push(performance.now() - began);
  }
  const { p50, p95 } = percentiles(times.slice(POSTS / 3));
  console.log(
    `${size} saved queries: ${ms(p50)} ms a post (p95 ${ms(p95)}), ${Math.round(found / POSTS)} answered`,
  );
}
await embedder.close();
