import { generateJsonFeed } from "feedsmith";
import type { Post } from "../../schema/post.ts";
import type { Channel } from "./channel.ts";
import { summaryParts } from "./text.ts";

/** JSON Feed 1.1. `_board` holds what the format has no name for, under the names of the API. */
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
    ...{ parent_id, reply_count, flags },
    ...(distance_km === undefined ? {} : { distance_km }),
    ...(copies === undefined ? {} : { copies }),
    publisher: { id: publisher.id, verified: publisher.verified, domain: publisher.domain },
  };
}
