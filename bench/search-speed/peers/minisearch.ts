import { requirePeer } from "./package.ts";
import { type Peer, TOP } from "./peer.ts";

interface MiniSearch {
  addAll(documents: readonly object[]): void;
  search(query: string): { id: string }[];
}

export function openMinisearch(): Peer {
  const Engine = requirePeer("minisearch") as new (options: object) => MiniSearch;
  const engine = new Engine({
    fields: ["title", "body", "more"],
    searchOptions: { boost: { title: 2, more: 1.5 } },
  });
  return {
    asymmetry:
      "words alone: it has no vectors; no stemming; everything in memory; expired posts are found too",
    async add(posts) {
      engine.addAll(
        posts.map(({ entry: { id, title, body, tags, placeName } }) => ({
          id,
          title,
          body,
          more: [...tags, placeName ?? ""].join(" "),
        })),
      );
    },
    async finish() {},
    hybrid: null,
    async words({ words }) {
      return engine
        .search(words.join(" "))
        .slice(0, TOP)
        .map(({ id }) => id);
    },
  };
}
