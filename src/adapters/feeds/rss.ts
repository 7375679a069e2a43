import { generateRssFeed } from "feedsmith";
import type { Post } from "../../schema/post.ts";
import type { Channel } from "./channel.ts";
import { htmlOf, pointOf, withoutCdata } from "./text.ts";

/** Minutes until a reader may ask again. */
const TTL_MIN = 15;

/** RSS 2.0 with GeoRSS, Dublin Core authors, and times of edits. Titles are plain text, descriptions HTML. */
export function rssFeed(posts: readonly Post[], channel: Channel): string {
  const xml = generateRssFeed({
    title: channel.title,
    link: channel.home,
    description: channel.description,
    lastBuildDate: new Date(channel.updated),
    generator: "Agent Board",
    ttl: TTL_MIN,
    atom: {
      links: [
        { href: channel.self, rel: "self", type: "application/rss+xml" },
        ...(channel.next === null ? [] : [{ href: channel.next, rel: "next", type: "application/rss+xml" }]),
      ],
    },
    items: posts.map((post) => {
      const point = pointOf(post);
      return {
        title: post.title,
        link: post.url,
        description: htmlOf(post),
        categories: [{ name: post.kind, domain: "kind" }, ...post.tags.map((name) => ({ name }))],
        guid: { value: channel.idOf(post.id), isPermaLink: false },
        pubDate: new Date(post.created_at),
        dc: { creators: [post.publisher.name] },
        atom: { updated: new Date(post.updated_at) },
        ...(point === null ? {} : { georss: { point } }),
      };
    }),
  });
  return withoutCdata(xml);
}
