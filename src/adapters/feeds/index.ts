import { type RequestHandler, Router } from "express";
import { type Operation, operationNamed, type Services } from "../../board/operation.ts";
import {
  type CancelledEntry,
  calendarEntry,
  cancelledEntries,
  pastOf,
} from "../../domain/posts/calendar-entry.ts";
import { markedOver, wasEndedEarly } from "../../domain/posts/expiry.ts";
import type { Site } from "../../domain/site.ts";
import type { Store } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { SearchQuery } from "../../schema/query.ts";
import type { Dispatcher } from "../calls/dispatcher.ts";
import { parseInput } from "../calls/input.ts";
import { addLink, sendTagged } from "../http/answers.ts";
import { admitted, credentialsOf, lineOf, setLimitHeaders } from "../http/requests.ts";
import { calendarOf } from "./calendar.ts";
import { type Channel, channelOf, idsOf } from "./channel.ts";
import { cleanPosts } from "./text.ts";

export interface FeedParts {
  dispatcher: Dispatcher;
  operations: readonly Operation[];
  services: Pick<Services, "board" | "posts" | "search">;
  store: Store;
  site: Site;
}

interface Format {
  path: string;
  type: string;
  /** Posts come in this order by default. */
  sort: "newest" | "soonest";
  /** Without a `limit`; more than 100 posts are read in pages of as many. */
  limit: number;
  datedOnly: boolean;
  write(
    posts: readonly Post[],
    channel: Channel,
    cancelled: readonly CancelledEntry[],
    nextTurn: () => Promise<void>,
  ): string | Promise<string>;
}

const ICS = "text/calendar; charset=utf-8";
/** What writes the formats of news is loaded for the first that reads one, so that a board starts sooner. */
const formats = () => import("./formats.ts");
const NEWS = { sort: "newest", limit: 50, datedOnly: false } as const;
const FORMATS: readonly Format[] = [
  {
    path: "/feed.xml",
    type: "application/rss+xml; charset=utf-8",
    write: async (posts, channel) => (await formats()).rssFeed(posts, channel),
    ...NEWS,
  },
  {
    path: "/feed.atom",
    type: "application/atom+xml; charset=utf-8",
    write: async (posts, channel) => (await formats()).atomFeed(posts, channel),
    ...NEWS,
  },
  {
    path: "/feed.json",
    type: "application/feed+json; charset=utf-8",
    write: async (posts, channel) => (await formats()).jsonFeed(posts, channel),
    ...NEWS,
  },
  // A program that subscribes to a calendar reads no further pages.
  { path: "/calendar.ics", type: ICS, sort: "soonest", limit: 1_000, datedOnly: true, write: calendarOf },
];
const PAGE_MAX = 100;
const KEEP = "public, max-age=60";

/**
 * Serves any search as RSS, Atom, JSON Feed or calendar, and one post as a calendar. A feed takes the parameters of a
 * search and counts against its limits. Failures come in the envelope of the API. Nothing shown counts as retrieved.
 */
export function feedRoutes(parts: FeedParts): Router {
  const router = Router({ caseSensitive: true });
  const search = operationNamed(parts.operations, "search");
  for (const format of FORMATS) router.get(format.path, feed(format, search, parts));
  router.get("/p/:id.ics", postCalendar(operationNamed(parts.operations, "get_post"), parts));
  return router;
}

function feed(format: Format, search: Operation, parts: FeedParts): RequestHandler {
  const { path } = format;
  const as = path.slice(1);
  return async (request, response) => {
    const { now } = await admitted(parts.dispatcher, search, request, response, { as });
    const credentials = credentialsOf(request);
    const sent: Record<string, unknown> = { ...request.query };
    const limit = String(Math.min(format.limit, PAGE_MAX));
    const { input } = parseInput(search, { sort: format.sort, limit, ...sent }, "query");
    const query = input as SearchQuery;
    const most = sent["limit"] === undefined ? format.limit : query.limit;
    const { datedOnly } = format;
    const gone = lineOf(response).closed;
    const read = async (asked: SearchQuery) => {
      await parts.dispatcher.inTurn(credentials);
      return parts.services.search.run(asked, now, { datedOnly, advice: false, gone });
    };
    // A list counts by its size: each further page is a search.
    const readMore = async (asked: SearchQuery) => {
      setLimitHeaders(response, await parts.dispatcher.stray(credentials, search.limit));
      return read(asked);
    };
    const page = await upTo(most, await read(query), (cursor) => readMore({ ...query, cursor }));
    const past = datedOnly && page.posts.length < most ? pastOf(query, now) : null;
    if (past !== null) {
      const over = await upTo(most, await read(past), (cursor) => readMore({ ...past, cursor }));
      page.posts = withPast(page.posts, over.posts, most);
    }
    const { launched } = parts.services.board;
    const channel = channelOf({ path, query, sent }, { ...page, launched }, parts.site);
    addLink(response, channel.self, "self");
    addLink(response, channel.home, "alternate", "text/html");
    if (channel.next !== null) addLink(response, channel.next, "next");
    // It comes with the first page; the walk goes on over what is still there.
    const cancelled =
      format.datedOnly && query.cursor === undefined ? await cancelledEntries(query, now, parts.store) : [];
    const posts = cleanPosts(page.posts.map((post) => markedOver(post, now)));
    const text = await format.write(posts, channel, cancelled, () => parts.dispatcher.ownTurn());
    sendTagged(request, response, { type: format.type, text, keep: KEEP });
    parts.dispatcher.answered({ as }, response.statusCode);
  };
}

/** Reads the first posts of a search, page after page. */
async function upTo(most: number, first: Page, readNext: (cursor: string) => Promise<Page>): Promise<Page> {
  const posts = [...first.posts];
  let { nextCursor } = first;
  while (nextCursor !== null && posts.length < most) {
    const page = await readNext(nextCursor);
    posts.push(...page.posts);
    nextCursor = page.nextCursor;
  }
  return { posts, nextCursor };
}

/** Fills a calendar with all that is to come, and as much of what was as there is room for, the latest first to stay. */
function withPast(coming: readonly Post[], past: readonly Post[], most: number): Post[] {
  const shown = new Set(coming.map(({ id }) => id));
  const over = past.filter(
    (post) => !shown.has(post.id) && (wasEndedEarly(post) || post.expires_at > (post.starts_at ?? "")),
  );
  return [...over.slice(Math.max(0, over.length + coming.length - most)), ...coming];
}

interface Page {
  posts: readonly Post[];
  nextCursor: string | null;
}

function postCalendar(getPost: Operation, parts: FeedParts): RequestHandler {
  const as = "post.ics";
  return async (request, response) => {
    await admitted(parts.dispatcher, getPost, request, response, { as });
    const id = String(request.params["id"]);
    const entry = await calendarEntry(id, { store: parts.store, posts: parts.services.posts });
    const ids = idsOf(parts.site, parts.services.board.launched);
    const self = `${parts.site.post(id)}.ics`;
    addLink(response, parts.site.post(id), "alternate", "text/html");
    const posts = "post" in entry ? cleanPosts([entry.post]) : [];
    const cancelled = "cancelled" in entry ? [entry.cancelled] : [];
    const about = { ...ids, self, title: posts[0]?.title ?? "No longer on the board" };
    sendTagged(request, response, { type: ICS, text: await calendarOf(posts, about, cancelled), keep: KEEP });
    parts.dispatcher.answered({ as }, response.statusCode);
  };
}
