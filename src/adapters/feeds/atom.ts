import { generateAtomFeed } from "feedsmith";
import type { Post } from "../../schema/post.ts";
import type { Channel } from "./channel.ts";
import { htmlOf, pointOf, summaryParts, withoutCdata } from "./text.ts";

/** Atom 1.0 (RFC 4287) with GeoRSS. */
export function atomFeed(posts: readonly Post[], channel: Channel): string {
  const type = "application/atom+xml";
  const xml = generateAtomFeed({
    id: channel.self,
    title: { value: channel.title, type: "text" },
    subtitle: { value: channel.description, type: "text" },
    updated: new Date(channel.updated),
    generator: { text: "Agent Board" },
    links: [
      { href: channel.self, rel: "self", type },
      { href: channel.home, rel: "alternate", type: "text/html" },
      ...(channel.next === null ? [] : [{ href: channel.next, rel: "next", type }]),
    ],
    entries: posts.map((post) => {
      const point = pointOf(post);
      return {
        id: channel.idOf(post.id),
        title: { value: post.title, type: "text" },
        summary: { value: summaryParts(post).join(" · "), type: "text" },
        content: { value: htmlOf(post), type: "html" },
        published: new Date(post.created_at),
        updated: new Date(post.updated_at),
        authors: [{ name: post.publisher.name, uri: post.publisher.crier_url }],
        // A scheme is an absolute IRI (4.2.2.2).
        categories: [
          { term: post.kind, scheme: channel.idOf("kind") },
          ...post.tags.map((term) => ({ term })),
        ],
        links: [
          { href: post.url, rel: "alternate", type: "text/html" },
          ...(post.link === null ? [] : [{ href: post.link, rel: "related" }]),
          ...(post.source_url === null ? [] : [{ href: post.source_url, rel: "via" }]),
        ],
        ...(point === null ? {} : { georss: { point } }),
      };
    }),
  });
  return withoutCdata(xml);
}
