import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import type { Feed } from "../../src/syndication/feeds.ts";
import { Syndication } from "../../src/syndication/index.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { activePosts, addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";

const START = Date.UTC(2026, 10, 22, 12);
const MINUTE_MS = 60_000;
const HOSTS = 10;
const FEEDS = 34;
const DAILY = 20;
/** Instead of the 20 s of a real poll. */
const TIMEOUT_MS = 500;
/** Half of what one bomb holds. */
const MEMORY_MB = 32;

let now = START;
let board: TestBoard;
let sources: FeedSource[] = [];
/** No feed is on this one, though feeds name it. */
let outsider: FeedSource;
/** Ports that this process connected to. */
const ports = new Set<number>();
const connecting = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  socket.once("connect", () => ports.add(socket.remotePort ?? 0));
};

beforeAll(async () => {
  subscribe("net.client.socket", connecting);
  sources = await Promise.all(Array.from({ length: HOSTS }, () => startFeedSource(() => now)));
  outsider = await startFeedSource();
  board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now, idle: true });
});
afterAll(async () => {
  unsubscribe("net.client.socket", connecting);
  await board.stop();
  for (const source of [...sources, outsider]) source.close();
});

const rss = (entries: string, head = "") =>
  `<?xml version="1.0"?>${head}<rss version="2.0"><channel><title>T</title>${entries}</channel></rss>`;
const entry = (feed: number, n: number) =>
  `<item><title>Feed ${feed} tells story ${n}</title><guid>${n}</guid><link>${outsider.origin}/${n}</link><description>&lt;img src="${outsider.origin}/pixel.gif"></description><enclosure url="${outsider.origin}/sound.mp3" type="audio/mpeg" length="1"/></item>`;
const entries = (feed: number, count: number) =>
  Array.from({ length: count }, (_, n) => entry(feed, n)).join("");

type Answer = Parameters<FeedSource["answers"]["set"]>[1];
const BOMB = gzipSync(Buffer.alloc(64 << 20, "a"));
/** The ways to fail, and how many polls an hour each gets at most, at one every five minutes. */
const FAILURES: readonly (readonly [what: string, polls: number, Answer])[] = [
  ["an error", 3, (_request, response) => response.writeHead(500).end()],
  ["overload", 2, (_request, response) => response.writeHead(503, { "retry-after": "1800" }).end()],
  ["gone for good", 1, (_request, response) => response.writeHead(410).end()],
  ["not found", 3, (_request, response) => response.writeHead(404).end()],
  ["a line that is cut", 3, (_request, response) => response.destroy()],
  ["silence", 3, () => undefined],
  ["a page", 3, (_request, response) => response.end("<html><body>Moved</body></html>")],
  ["a bomb", 3, (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(BOMB)],
  ["a circle", 3, ({ url }, response) => response.writeHead(302, { location: url ?? "" }).end()],
  [
    "a way out",
    3,
    (_request, response) => response.writeHead(302, { location: `${outsider.origin}/inside` }).end(),
  ],
  [
    "an entity outside",
    3,
    (_request, response) =>
      response.end(rss("<item>&x;", `<!DOCTYPE rss [<!ENTITY x SYSTEM "${outsider.origin}/x">]>`)),
  ],
];

/** Every third feed fails, each eighth of the others has eight more stories at each poll, the others stay as they are. */
async function plant(n: number): Promise<{ feed: Feed; source: FeedSource; path: string; polls: number }> {
  const source = sources[n % HOSTS] as FeedSource;
  const path = `/feed-${n}`;
  const failure = n % 3 === 0 ? FAILURES[(n / 3) % FAILURES.length] : undefined;
  let polled = 0;
  const fine: Answer = ({ headers }, response) => {
    polled += n % 8 === 1 ? 1 : 0;
    const etag = `"${polled}"`;
    if (headers["if-none-match"] === etag) return response.writeHead(304).end();
    return response.writeHead(200, { etag }).end(rss(entries(n, 3 + 8 * polled)));
  };
  source.answers.set(path, failure?.[2] ?? fine);
  const { feed } = await addFeed(board, source.origin + path, {
    kind: "rss",
    everyMs: 5 * MINUTE_MS,
    dailyMax: DAILY,
  });
  return { feed, source, path, polls: failure?.[1] ?? 12 };
}

/** What is in use, in bytes. Of what is not, how much the process keeps depends on what else the machine does. */
function memoryInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  // What buffers held is in use until the next time.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("an hour of feeds on ten hosts, a third of them failing", () => {
  it("stays within the bounds of polls, of time between them, of posts and of memory, and calls no other host", async () => {
    const planted = await Promise.all(Array.from({ length: FEEDS }, (_, n) => plant(n)));
    const known = new Set([...ports, ...sources.map(({ origin }) => Number(new URL(origin).port))]);
    const outbound = openOutbound({ allow: ["127.0.0.1"] });
    const syndication = new Syndication({
      store: board.board.store,
      index: board.board.index,
      writing: board.board.services.writing,
      outbound: {
        ...outbound,
        send: (request) => outbound.send({ ...request, timeoutMs: Math.min(request.timeoutMs, TIMEOUT_MS) }),
      },
      create: board.board.relay,
      clock: () => now,
      pause: async (ms) => {
        now += ms;
      },
    });
    const before = memoryInUse();
    let most = before;
    for (let minute = 0; minute < 60; minute += 1) {
      now = Math.max(now, START + minute * MINUTE_MS);
      await syndication.pollDue(now, async () => true);
      // When bombs come. Collecting garbage takes longer than a minute of polls.
      if ([0, 10, 30].includes(minute)) most = Math.max(most, memoryInUse());
    }
    const grownMb = (most - before) / 1e6;
    await outbound.close();

    for (const { source, path, polls } of planted) {
      const asked = source.asked.filter((one) => one.path === path);
      const isCircle = source.answers.get(path) === FAILURES[8]?.[2];
      // A circle is followed five times.
      expect(asked.length, path).toBeLessThanOrEqual(polls * (isCircle ? 6 : 1));
      expect(asked.length, path).toBeGreaterThanOrEqual(Math.min(polls, 9));
    }
    for (const { asked } of sources) {
      const polls = asked.filter(({ path }, n) => path !== asked[n - 1]?.path).map(({ at }) => at);
      const pauses = polls.slice(1).map((at, n) => at - (polls[n] as number));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    }
    for (const { feed, polls } of planted) {
      const state = await syndication.feeds.state(feed.id);
      const publisher = await board.board.store.publishers.get(feed.publisherId);
      const posts = publisher === null ? [] : await activePosts(board, publisher);
      const n = planted.findIndex((one) => one.feed === feed);
      expect(state.failures, feed.url).toBe(n % 3 === 0 ? polls : 0);
      expect(posts.length, feed.url).toBe(n % 3 === 0 ? 0 : n % 8 === 1 ? DAILY : 3);
      expect(state.added, feed.url).toBe(posts.length);
    }
    const paused = (await syndication.feeds.all()).filter((feed) => feed.paused);
    expect(paused.map(({ id }) => id).sort()).toEqual(
      planted
        .filter(({ polls }) => polls === 1)
        .map(({ feed }) => feed.id)
        .sort(),
    );
    expect(grownMb).toBeLessThan(MEMORY_MB);
    expect(outsider.asked).toEqual([]);
    expect([...ports].filter((port) => !known.has(port))).toEqual([]);
  });
});
