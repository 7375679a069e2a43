import { dequantize } from "../../../src/search/ranking/vectors.ts";
import { DIMENSION } from "../questions.ts";
import { requirePeer } from "./package.ts";
import { type Peer, type PeerQuestion, TOP } from "./peer.ts";

interface Orama {
  create(options: object): Promise<object>;
  insertMultiple(database: object, documents: readonly object[], batch: number): Promise<unknown>;
  search(database: object, question: object): Promise<{ hits: { id: string }[] }>;
}

/** Any of the words is enough, as for the board. */
const ANY_WORD = 1;

export async function openOrama(): Promise<Peer> {
  const { create, insertMultiple, search } = requirePeer("@orama/orama") as Orama;
  const database = await create({
    schema: {
      title: "string",
      body: "string",
      more: "string",
      kind: "enum",
      place: "geopoint",
      starts: "number",
      ends: "number",
      expires: "number",
      embedding: `vector[${DIMENSION}]`,
    },
  });
  const ask = async (question: object) => (await search(database, question)).hits.map(({ id }) => id);
  return {
    asymmetry:
      "no stemming; a similarity of at least 0.25 as the board; everything in memory; it returns whole documents",
    async add(posts) {
      const documents = posts.map(({ entry, vector }) => ({
        id: entry.id,
        title: entry.title,
        body: entry.body,
        more: [...entry.tags, entry.placeName ?? ""].join(" "),
        kind: entry.kind,
        starts: entry.windowStart,
        ends: entry.windowEnd,
        expires: entry.expiresAt,
        embedding: Array.from(dequantize(vector ?? new Int8Array(DIMENSION))),
        ...(entry.lat === null || entry.lng === null ? {} : { place: { lat: entry.lat, lon: entry.lng } }),
      }));
      await insertMultiple(database, documents, documents.length);
    },
    async finish() {},
    hybrid: (question) =>
      ask({
        mode: "hybrid",
        term: question.words.join(" "),
        vector: { value: Array.from(question.vector), property: "embedding" },
        similarity: 0.25,
        threshold: ANY_WORD,
        limit: TOP,
        where: whereOf(question),
      }),
    words: (question) =>
      ask({ term: question.words.join(" "), threshold: ANY_WORD, limit: TOP, where: whereOf(question) }),
  };
}

function whereOf({ now, narrow }: PeerQuestion) {
  if (narrow === null) return { expires: { gt: now } };
  const { kinds, near, after, before } = narrow;
  const coordinates = { lat: near.lat, lon: near.lng };
  return {
    expires: { gt: now },
    kind: { in: kinds },
    starts: { lte: before },
    ends: { gte: after },
    place: { radius: { coordinates, unit: "km", value: near.radiusKm, inside: true } },
  };
}
