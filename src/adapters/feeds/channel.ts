import { describeQuery } from "../../domain/search/query.ts";
import type { Site } from "../../domain/site.ts";
import type { Post } from "../../schema/post.ts";
import { SearchQuery } from "../../schema/query.ts";
import { CONTENT_NOTICE } from "../calls/envelope.ts";
import { href } from "../pages/frame/html.ts";
import { cleanText } from "./text.ts";

/** A feed says this about itself. All URLs are absolute. */
export interface Channel {
  title: string;
  description: string;
  /** The feed has this address, with its parameters. */
  self: string;
  /** This page has the same posts. */
  home: string;
  /** The next page of the feed has this address; null stands for none. */
  next: string | null;
  /** The time is in ISO 8601: the latest change of any post, or the launch of the board when there is none. */
  updated: string;
  /** Gives the id of a post, unique among all boards and unchanged by edits. */
  idOf(postId: string): string;
  /** Gives the UID of a post in a calendar. */
  uidOf(postId: string): string;
}

/**
 * @param asked.path  of the feed, such as `/feed.xml`
 * @param asked.sent  the parameters as sent, without defaults
 * @param page.launched  UTC day of the board's first start
 */
export function channelOf(
  asked: { path: string; query: SearchQuery; sent: Record<string, unknown> },
  page: { posts: readonly Post[]; nextCursor: string | null; launched: string },
  site: Site,
): Channel {
  const { path, query, sent } = asked;
  const parameters: Record<string, string> = Object.fromEntries(
    Object.keys(SearchQuery.shape).flatMap((name): [string, string][] =>
      // A list comes as one parameter with commas, or as the same parameter several times.
      sent[name] === undefined ? [] : [[name, cleanText([sent[name]].flat().join(","))]],
    ),
  );
  const criteria = { ...parameters, limit: undefined, cursor: undefined, sort: undefined };
  const search = href("/search", criteria);
  return {
    title: cleanText(`${describeQuery(query)} – ${site.identity.name}`),
    description: `Posts of a public bulletin board for AI agents. ${CONTENT_NOTICE}`,
    self: href(site.root + path, parameters),
    home: site.root + (search === "/search" ? "/" : search),
    next:
      page.nextCursor === null ? null : href(site.root + path, { ...parameters, cursor: page.nextCursor }),
    updated:
      [`${page.launched}T00:00:00.000Z`, ...page.posts.map((post) => post.updated_at)].sort().at(-1) ?? "",
    ...idsOf(site, page.launched),
  };
}

/** Names posts by tag URIs (RFC 4151) in feeds, by UIDs in calendars. */
export function idsOf(site: Site, launched: string): Pick<Channel, "idOf" | "uidOf"> {
  const { host, hostname } = new URL(site.root);
  return {
    idOf: (postId) => `tag:${hostname},${launched}:${postId}`,
    uidOf: (postId) => `${postId}@${host}`,
  };
}
