import { afterAll, beforeAll, expect, it } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { Syndication } from "../../src/syndication/index.ts";
import { addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { useTestBoard } from "../support/boards/use.ts";

const START = Date.UTC(2026, 10, 22, 12);
const MINUTE_MS = 60_000;
/** A poll waits so long for a source that never answers, instead of its 20 s. */
const SILENCE_MS = 100;

let now = START;
const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now, idle: true });
let hosts: FeedSource[];
/** No feed is on this one, though feeds name it. */
let outsider: FeedSource;

beforeAll(async () => {
  hosts = await Promise.all([1, 2].map(() => startFeedSource(() => now)));
  outsider = await startFeedSource();
});
afterAll(() => {
  for (const source of [...hosts, outsider]) source.close();
});

type Answer = Parameters<FeedSource["answers"]["set"]>[1];
/** What a feed does, and how many polls an hour it gets at most, at one every five minutes. */
const BEHAVIOURS: readonly (readonly [what: string, polls: number, Answer])[] = [
  [
    "fine",
    12,
    (_request, response) => {
      const story = `<item><title>Story</title><guid>1</guid><link>${outsider.origin}/1</link><description>&lt;img src="${outsider.origin}/pixel.gif"></description><enclosure url="${outsider.origin}/sound.mp3" type="audio/mpeg" length="1"/></item>`;
      response.end(`<rss version="2.0"><channel><title>T</title>${story}</channel></rss>`);
    },
  ],
  ["an error", 3, (_request, response) => response.writeHead(500).end()],
  ["overload", 2, (_request, response) => response.writeHead(503, { "retry-after": "1800" }).end()],
  ["gone for good", 1, (_request, response) => response.writeHead(410).end()],
  ["a line that is cut", 3, (_request, response) => response.destroy()],
  ["silence", 3, () => undefined],
  [
    "a way out",
    3,
    (_request, response) => response.writeHead(302, { location: `${outsider.origin}/inside` }).end(),
  ],
];

/** The bounds of every call. */
const bounds = new Set<string>();
let outbound: ReturnType<typeof openOutbound>;
let syndication: Syndication;
beforeAll(() => {
  outbound = openOutbound({ allow: ["127.0.0.1"] });
  syndication = new Syndication({
    store: board.board.store,
    index: board.board.index,
    writing: board.board.services.writing,
    outbound: {
      ...outbound,
      send(request) {
        bounds.add(`${request.timeoutMs} ms, ${request.maxBytes / (1 << 20)} MiB`);
        const timeoutMs = request.url.includes("silence") ? SILENCE_MS : request.timeoutMs;
        return outbound.send({ ...request, timeoutMs });
      },
    },
    create: board.board.relay,
    clock: () => now,
    pause: async (ms) => {
      now += ms;
    },
  });
});
afterAll(() => outbound.close());

it("feeds are polled once they are due, not while they are paused, and no further once another process polls", async () => {
  const [source] = hosts as [FeedSource];
  const [one, two, paused] = ["/one", "/two", "/paused"];
  for (const path of [one, two, paused]) {
    source.serve(path, `<rss version="2.0"><channel><title>T</title></channel></rss>`);
    const given = { kind: "rss", everyMs: 5 * MINUTE_MS, paused: path === paused } as const;
    await addFeed(board, source.origin + path, given);
  }
  /** The polls in one go, of which another process takes over before the last ones. */
  const polled = async (at: number, most = 9) => {
    now = at;
    source.asked.length = 0;
    await syndication.pollDue(now, async () => source.asked.length < most);
    return source.asked.map(({ path }) => path);
  };
  expect(await polled(START, 1)).toEqual([one]);
  expect(await polled(START)).toEqual([two]);
  expect(await polled(START + 5 * MINUTE_MS - 1)).toEqual([]);
  expect(await polled(START + 5 * MINUTE_MS, 9)).toEqual([one, two]);
  await syndication.feeds.change(() => []);
  for (const host of hosts) host.asked.length = 0;
  now = START;
});

it("four hosts are asked at the same time, and the fifth once one of them has answered", async () => {
  const five = await Promise.all(Array.from({ length: 5 }, () => startFeedSource()));
  const open: (() => void)[] = [];
  for (const { origin, answers } of five) {
    answers.set("/slow", (_request, response) => void open.push(() => response.writeHead(404).end()));
    await addFeed(board, `${origin}/slow`);
  }
  const polled = board.board.syndication.pollDue(now, async () => true);
  await expect.poll(() => open.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(4);
  await fetch(`${outsider.origin}/meanwhile`);
  expect(open).toHaveLength(4);
  open.shift()?.();
  await expect.poll(() => open.length, { timeout: 15_000 }).toBe(4);
  for (const answer of open) answer();
  await polled;
  await syndication.feeds.change(() => []);
  outsider.asked.length = 0;
  for (const source of five) source.close();
});

it("an hour of feeds, most of them failing, has few polls, each host one a second, and calls no other host", async () => {
  for (const [n, source] of hosts.entries()) {
    for (const [what, , answer] of BEHAVIOURS) {
      const path = `/${encodeURIComponent(`${what} ${n}`)}`;
      source.answers.set(path, answer);
      await addFeed(board, source.origin + path, { kind: "rss", everyMs: 5 * MINUTE_MS });
    }
  }
  for (let minute = 0; minute < 60; minute += 1) {
    now = Math.max(now, START + minute * MINUTE_MS);
    await syndication.pollDue(now, async () => true);
  }
  expect([...bounds]).toEqual(["20000 ms, 8 MiB"]);

  for (const { asked } of hosts) {
    const counts = BEHAVIOURS.map(([what, polls]) => {
      const count = asked.filter(({ path }) => decodeURIComponent(path).startsWith(`/${what}`)).length;
      return [what, count <= polls && count >= Math.min(polls, 9)];
    });
    expect(counts).toEqual(BEHAVIOURS.map(([what]) => [what, true]));
    const pauses = asked.slice(1).map(({ at }, n) => at - (asked[n]?.at ?? Number.NaN));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
  }
  const paused = (await syndication.feeds.all()).filter((feed) => feed.paused);
  expect(paused.map(({ url }) => url.includes("gone"))).toEqual([true, true]);
  expect(outsider.asked).toEqual([]);
});
