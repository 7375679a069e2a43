import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { StoredPost, StoredPublisher } from "../../../src/ports/store/index.ts";
import type { Feed } from "../../../src/syndication/feeds.ts";
import { startHttpServer } from "../run/http-server.ts";
import type { TestBoard } from "./board.ts";

const HOUR_MS = 3_600_000;

/** A web server of feeds, real and on this machine. */
export interface FeedSource {
  /** Such as `http://127.0.0.1:41234`. */
  origin: string;
  /** What it was asked for, in order. */
  asked: { path: string; headers: IncomingHttpHeaders; at: number }[];
  /** Answers by path; 404 for any other. */
  answers: Map<string, RequestListener>;
  serve(path: string, body: string | Buffer, headers?: Record<string, string>): void;
  close(): void;
}

/** @param clock  dates what it is asked for */
export async function startFeedSource(clock: () => number = Date.now): Promise<FeedSource> {
  const answers: FeedSource["answers"] = new Map();
  const asked: FeedSource["asked"] = [];
  const server = await startHttpServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, headers: request.headers, at: clock() });
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  return {
    origin: server.origin,
    asked,
    answers,
    serve(path, body, headers = {}) {
      answers.set(path, (_request, response) => void response.writeHead(200, headers).end(body));
    },
    close: () => void server.close(),
  };
}

let made = 0;

/** A feed that is on no board. */
export const aFeedOf = (given: Partial<Feed>): Feed => ({
  id: "feed_0",
  url: "https://example.org/feed",
  kind: "ics",
  name: "Source",
  license: "CC0-1.0",
  publisherId: "",
  tags: ["town"],
  postKind: null,
  timezone: "Europe/Berlin",
  place: null,
  everyMs: HOUR_MS,
  dailyMax: 500,
  paused: false,
  ...given,
});

/** Adds a feed to a board as `feeds add` does, without reading it first. */
export async function addFeed(
  { board }: TestBoard,
  url: string,
  given: Partial<Feed> = {},
): Promise<{ feed: Feed; publisher: StoredPublisher }> {
  made += 1;
  const [feedId, name] = [`feed_${made}`, `Source ${made}`];
  const { id } = await board.services.publishers.register({ name, accept_terms: true }, board.clock());
  const feed = aFeedOf({ id: feedId, url, name, publisherId: id, ...given });
  await board.syndication.feeds.change((feeds) => [...feeds, feed]);
  const publisher = await board.store.publishers.get(id);
  if (publisher === null) throw new Error("the publisher of a feed is gone");
  return { feed, publisher };
}

/** The active posts of a publisher. */
export async function activePosts({ board }: TestBoard, { id }: StoredPublisher): Promise<StoredPost[]> {
  const posts = await board.store.posts.byPublisher(id, 5_000);
  return posts.filter(({ expiresAt }) => expiresAt > board.clock());
}
