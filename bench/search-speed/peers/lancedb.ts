import { boxAround } from "../../../src/search/ranking/distance.ts";
import { dequantize } from "../../../src/search/ranking/vectors.ts";
import { DIMENSION } from "../questions.ts";
import { requirePeer } from "./package.ts";
import { type Peer, type PeerQuestion, TOP, textOf } from "./peer.ts";

interface Query {
  nearestTo(vector: Float32Array): Query;
  distanceType(type: string): Query;
  nprobes(count: number): Query;
  refineFactor(factor: number): Query;
  fullTextSearch(text: string): Query;
  where(condition: string): Query;
  rerank(reranker: object): Query;
  select(columns: readonly string[]): Query;
  limit(count: number): Query;
  toArray(): Promise<{ id: string }[]>;
}

interface Table {
  add(rows: readonly object[]): Promise<unknown>;
  createIndex(column: string, options: object): Promise<void>;
  query(): Query;
}

interface LanceDb {
  connect(folder: string): Promise<{ createTable(name: string, rows: readonly object[]): Promise<Table> }>;
  Index: { fts(options: object): object; ivfPq(options: object): object };
  rerankers: { RRFReranker: { create(): Promise<object> } };
}

/** A post without a place lies there, outside of every box. */
const NOWHERE = 999;
/** From this many posts on, its documentation advises an index of vectors; below, it reads them all. */
const INDEXED_FROM = 100_000;

export async function openLancedb(folder: string, count: number): Promise<Peer> {
  const { connect, Index, rerankers } = requirePeer("@lancedb/lancedb") as LanceDb;
  const database = await connect(folder);
  const fusion = await rerankers.RRFReranker.create();
  const indexed = count >= INDEXED_FROM;
  let table: Table | null = null;
  const opened = () => {
    if (table === null) throw new Error("LanceDB has no posts yet.");
    return table;
  };
  const idsOf = async (query: Query) => (await query.select(["id"]).limit(TOP).toArray()).map(({ id }) => id);
  return {
    asymmetry: `both cores; ${indexed ? "vectors by IVF_PQ, 20 probes, refined 5 times" : "all vectors read, as float32"}; reciprocal ranks; a box for the circle`,
    async add(posts) {
      const rows = posts.map((post) => ({
        id: post.entry.id,
        text: textOf(post),
        vector: Array.from(dequantize(post.vector ?? new Int8Array(DIMENSION))),
        kind: post.entry.kind,
        // Its types come from the first row: coordinates must not look like whole numbers there.
        lat: (post.entry.lat ?? NOWHERE) + 1e-7,
        lng: (post.entry.lng ?? NOWHERE) + 1e-7,
        starts: post.entry.windowStart,
        ends: post.entry.windowEnd,
        expires: post.entry.expiresAt,
      }));
      if (table === null) table = await database.createTable("posts", rows);
      else await table.add(rows);
    },
    async finish() {
      await opened().createIndex("text", { config: Index.fts({ stem: true, removeStopWords: true }) });
      if (!indexed) return;
      const numPartitions = Math.round(Math.sqrt(count));
      const config = Index.ivfPq({ distanceType: "dot", numPartitions, numSubVectors: DIMENSION / 8 });
      await opened().createIndex("vector", { config });
    },
    hybrid(question) {
      const near = opened().query().nearestTo(question.vector).distanceType("dot");
      const tuned = indexed ? near.nprobes(20).refineFactor(5) : near;
      return idsOf(tuned.fullTextSearch(question.words.join(" ")).where(whereOf(question)).rerank(fusion));
    },
    words: (question) =>
      idsOf(opened().query().fullTextSearch(question.words.join(" ")).where(whereOf(question))),
  };
}

function whereOf({ now, narrow }: PeerQuestion): string {
  if (narrow === null) return `expires > ${now}`;
  const { south, north, west, east } = boxAround(narrow.near, narrow.near.radiusKm);
  return [
    `expires > ${now}`,
    `kind IN (${narrow.kinds.map((kind) => `'${kind}'`).join(", ")})`,
    `lat BETWEEN ${south} AND ${north} AND lng BETWEEN ${west} AND ${east}`,
    `starts <= ${narrow.before} AND ends >= ${narrow.after}`,
  ].join(" AND ");
}
