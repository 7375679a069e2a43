import { generateAtomFeed, generateJsonFeed, generateRssFeed } from "feedsmith";
import type { Post } from "../../schema/post.ts";
import type { Channel } from "./channel.ts";
import { htmlOf, pointOf, summaryParts, withoutCdata } from "./text.ts";

/** A reader may ask again after this many minutes. */
const TTL_MIN = 15;

/** Writes RSS 2.0 with GeoRSS, Dublin Core authors, and times of edits. Titles are plain text, descriptions HTML. */
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

/** Writes Atom 1.0 (RFC 4287) with GeoRSS. */
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

/** Writes JSON Feed 1.1. `_board` holds what the format has no name for, under the names of the API. */
export function jsonFeed(posts: readonly Post[], channel: Channel): string {
  const feed = generateJsonFeed({
    title: channel.title,
    home_page_url: channel.home,
    feed_url: channel.self,
    description: channel.description,
    ...(channel.next === null ? {} : { next_url: channel.next }),
    items: posts.map((post) => ({
      id: channel.idOf(post.id),
      url: post.url,
      ...(post.link === null ? {} : { external_url: post.link }),
      title: post.title,
      content_text: post.body,
      summary: summaryParts(post).join(" · "),
      date_published: new Date(post.created_at),
      date_modified: new Date(post.updated_at),
      authors: [{ name: post.publisher.name, url: post.publisher.crier_url }],
      tags: [post.kind, ...post.tags],
      _board: boardMember(post),
    })),
  });
  // The generator leaves an empty list out, which the format requires.
  return JSON.stringify({ items: [], ...(feed as object) });
}

function boardMember(post: Post) {
  const { id, kind, location, starts_at, ends_at, timezone, expires_at, source_url, syndicated } = post;
  const { parent_id, reply_count, flags, distance_km, copies, publisher } = post;
  return {
    ...{ id, kind, location, starts_at, ends_at, timezone, expires_at, source_url, syndicated },
    // JSON leaves out what is undefined.
    ...{ parent_id, reply_count, flags, distance_km, copies },
    publisher: { id: publisher.id, verified: publisher.verified, domain: publisher.domain },
  };
}
