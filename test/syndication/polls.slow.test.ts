import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import type { StoredPublisher } from "../../src/ports/store/index.ts";
import { type Feed, Feeds } from "../../src/syndication/feeds.ts";
import { previewFeed } from "../../src/syndication/index.ts";
import { call } from "../support/boards/client.ts";
import {
  activePosts,
  addFeed,
  aFeedOf,
  type FeedSource,
  startFeedSource,
} from "../support/boards/feed-source.ts";
import { useTestBoard } from "../support/boards/use.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 22, 12);

let now = START;
let source: FeedSource;
const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1,localhost" }, { clock: () => now, idle: true });

beforeAll(async () => {
  source = await startFeedSource();
});
afterAll(() => source.close());
beforeEach(() => {
  source.asked.length = 0;
});

const serve: FeedSource["serve"] = (...given) => source.serve(...given);
const answer = (path: string, how: Parameters<FeedSource["answers"]["set"]>[1]) =>
  source.answers.set(path, how);
const aFeed = (path: string, given: Partial<Feed> = {}) => addFeed(board, source.origin + path, given);

const poll = (feed: Feed) => board.board.syndication.poll(feed);
const postsOf = (publisher: StoredPublisher) => activePosts(board, publisher);
const titlesOf = async (publisher: StoredPublisher) =>
  (await postsOf(publisher)).map(({ title }) => title).sort();

const calendar = (events: Record<string, string>) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    ...Object.entries(events).flatMap(([uid, lines]) => [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      ...lines.split("|"),
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
    "",
  ].join("\r\n");
const EVENTS = {
  a: "SUMMARY:Choir evening|DTSTART:20261205T180000Z|DTEND:20261205T200000Z|LOCATION:Town Hall",
  b: "SUMMARY:Bike repair|DTSTART:20261206T100000Z",
};

describe("a calendar that is relayed", () => {
  it("becomes posts with the keys of relayed ones; asked again it adds and changes nothing", async () => {
    serve("/plain.ics", calendar(EVENTS));
    const { feed, publisher } = await aFeed("/plain.ics");
    expect(await poll(feed)).toMatchObject({ unchanged: false, added: 2, changed: 0, refused: [] });
    const post = (await postsOf(publisher)).find(({ title }) => title === "Choir evening");
    expect(post).toMatchObject({
      kind: "event",
      syndicated: true,
      tags: ["town"],
      startsAt: Date.UTC(2026, 11, 5, 18),
      timezone: "Europe/Berlin",
      sourceUrl: feed.url,
      metadata: {
        source: feed.id,
        source_id: "a",
        source_name: feed.name,
        license: "CC0-1.0",
        all_day: false,
      },
    });
    expect(await poll(feed)).toEqual({ unchanged: true });
    // The board counts what it posts itself.
    await board.flush();
    expect((await call(board, "GET /metrics")).body.data.metrics.posts_7d).toBe(2);
    // Read as a whole once more a day.
    now += 24 * HOUR_MS - 1;
    expect(await poll(feed)).toEqual({ unchanged: true });
    now += 1;
    expect(await poll(feed)).toMatchObject({ unchanged: false, added: 0, changed: 0, retired: 0 });
    now = START;
  });

  it("follows the source: changes, withdrawals, what vanished and what came back", async () => {
    // The one is to come, the other under way.
    const underWay = "DTSTART:20261122T100000Z\r\nDTEND:20261206T100000Z";
    const moving = (events: Record<string, string>) =>
      serve(
        "/moving.ics",
        calendar(events)
          .replaceAll("Choir", "Jazz")
          .replace("Bike", "Radio")
          .replace("DTSTART:20261206T100000Z", underWay),
      );
    moving(EVENTS);
    const { feed, publisher } = await aFeed("/moving.ics");
    await poll(feed);
    moving({ ...EVENTS, a: EVENTS.a.replace("T180000Z", "T190000Z").replace("evening", "night") });
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 1, retired: 0 });
    expect(await titlesOf(publisher)).toEqual(["Jazz night", "Radio repair"]);
    moving({ a: EVENTS.a });
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 1, retired: 1 });
    expect(await titlesOf(publisher)).toEqual(["Jazz evening"]);
    moving(EVENTS);
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 1, retired: 0 });
    expect(await titlesOf(publisher)).toEqual(["Jazz evening", "Radio repair"]);
    moving({ ...EVENTS, b: `${EVENTS.b}|STATUS:CANCELLED` });
    expect(await poll(feed)).toMatchObject({ retired: 1 });
    expect(await titlesOf(publisher)).toEqual(["Jazz evening"]);
    // An empty calendar is more often broken than over.
    for (const blanks of ["", "\r\n"]) {
      serve("/moving.ics", `${calendar({})}${blanks}`);
      expect(await poll(feed)).toMatchObject({ retired: 0, doubted: 0 });
    }
    expect(await titlesOf(publisher)).toEqual(["Jazz evening"]);
    const all = { added: 2, changed: 3, retired: 2 };
    expect(await board.board.syndication.feeds.state(feed.id)).toMatchObject(all);
  });

  it("keeps an entry without a date while it is in the feed, and changes it once a week for that", async () => {
    const item = "<item><guid>u</guid><title>Open by chance</title></item>";
    serve("/undated.rss", `<rss version="2.0"><channel><title>c</title>${item}</channel></rss>`);
    const { feed, publisher } = await aFeed("/undated.rss", { kind: "rss" });
    const began = now;
    expect(await poll(feed)).toMatchObject({ added: 1 });
    const expiry = async () => (await postsOf(publisher))[0]?.expiresAt ?? 0;
    const first = await expiry();
    now = began + 7 * 24 * HOUR_MS - 1;
    await poll(feed);
    expect(await expiry()).toBe(first);
    now += 1;
    serve("/undated.rss", `<rss version="2.0"><channel><title>d</title>${item}</channel></rss>`);
    expect(await poll(feed)).toMatchObject({ changed: 1 });
    expect(await expiry()).toBe(first + 7 * 24 * HOUR_MS);
  });

  it("does not repeat what another source has posted", async () => {
    const same = { z: "SUMMARY:Harbour market|DTSTART:20261212T090000Z" };
    serve("/one.ics", calendar(same));
    serve(
      "/two.ics",
      calendar({
        other: "SUMMARY:Harbour  Market!|DTSTART:20261212T090000Z",
        own: "SUMMARY:Harbour swim|DTSTART:20261212T090000Z",
      }),
    );
    const [one, two] = [await aFeed("/one.ics"), await aFeed("/two.ics")];
    await poll(one.feed);
    expect(await poll(two.feed)).toMatchObject({ added: 1, folded: 1 });
    expect(await titlesOf(two.publisher)).toEqual(["Harbour swim"]);
  });

  it("posts what has only title and time in common with another, and what only an unverified publisher has posted", async () => {
    const carols = (where: string, n: number) =>
      calendar({
        [`carol${n}`]: `SUMMARY:Carol service|DTSTART:20261224T180000Z|LOCATION:${where}|URL:https://church-${n}.example/carols`,
      });
    serve("/bath.ics", carols("St Mary\\, Bath", 1));
    serve("/leeds.ics", carols("St Paul\\, Leeds", 2));
    const [bath, leeds] = [await aFeed("/bath.ics"), await aFeed("/leeds.ics")];
    expect(await poll(bath.feed)).toMatchObject({ added: 1, folded: 0 });
    expect(await poll(leeds.feed)).toMatchObject({ added: 1, folded: 0 });

    const theirs = {
      kind: "event",
      title: "Quay regatta",
      body: "Told",
      starts_at: now + 50 * HOUR_MS,
    } as const;
    const { store, services } = board.board;
    const { id } = await services.publishers.register({ name: "Stranger", accept_terms: true }, now);
    const stranger = await store.publishers.get(id);
    if (stranger === null) throw new Error("no publisher");
    await services.writing.create(theirs, stranger, now);
    const start = new Date(theirs.starts_at).toISOString().replace(/[-:]|\.\d+/g, "");
    serve("/quay.ics", calendar({ q: `SUMMARY:Quay regatta|DTSTART:${start}` }));
    expect(await poll((await aFeed("/quay.ics")).feed)).toMatchObject({ added: 1, folded: 0 });
  });

  it("takes things of one name for the same within a hundredth of a degree, where the place was looked up, and on one page", async () => {
    for (const [lines, folded] of [
      ["LOCATION:Gate|GEO:52.5;13.4", 0],
      ["LOCATION:Gate|GEO:52.509;13.4", 1],
      ["LOCATION:Gate|GEO:52.5;13.409", 1],
      ["LOCATION:Gate|GEO:52.511;13.4", 0],
      ["LOCATION:Gate|GEO:52.5;13.411", 0],
      ["LOCATION:Leeds", 0],
      ["LOCATION:Leeds|GEO:53.9;-1.4", 1],
      ["URL:https://gigs.example/all", 0],
      ["URL:https://gigs.example/all?utm_source=a", 1],
      ["URL:https://gigs.example/all#two", 0],
      ["URL:https://gigs.example/2", 0],
      // Without a name, too, a place is not the same as none.
      ["GEO:48;11", 0],
      ["CATEGORIES:Garden", 0],
      ["GEO:47;11", 0],
      ["GEO:48.009;11", 1],
    ] as const) {
      const path = `/${encodeURIComponent(lines)}`;
      serve(path, calendar({ gig: `SUMMARY:Garden gig|DTSTART:20261213T180000Z|${lines}` }));
      const found = await poll((await aFeed(path)).feed);
      expect(found, lines).toMatchObject({ added: 1 - folded, folded });
    }
  });

  it("moves an expiry at once where the source gives one", async () => {
    const until = (day: string) =>
      serve("/until", JSON.stringify({ id: "1", title: "Ice rink open", expires: `2026-12-${day}T00:00Z` }));
    until("01");
    const { feed, publisher } = await aFeed("/until", { kind: "jsonl" });
    await poll(feed);
    until("02");
    expect(await poll(feed)).toMatchObject({ changed: 1 });
    expect((await postsOf(publisher))[0]?.expiresAt).toBe(Date.UTC(2026, 11, 2));
  });

  it("does not repeat what a verified publisher has posted", async () => {
    const { store, services } = board.board;
    const { id } = await services.publishers.register({ name: "The quay itself", accept_terms: true }, now);
    const owner = await store.publishers.update(id, { verifiedAt: now, verifiedVia: "dns" });
    if (owner === null) throw new Error("no publisher");
    const theirs = { kind: "event", title: "Quay concert", body: "Ours" } as const;
    await services.writing.create({ ...theirs, starts_at: Date.UTC(2026, 11, 12, 19) }, owner, now);
    serve("/concert.ics", calendar({ c: "SUMMARY:Quay concert|DTSTART:20261212T190000Z" }));
    const concert = await aFeed("/concert.ics");
    expect(await poll(concert.feed)).toMatchObject({ added: 0, folded: 1 });
    // What the relay itself has posted by another way keeps no entry off.
    serve("/fair.ics", calendar({ c: "SUMMARY:Quay fair|DTSTART:20261212T190000Z" }));
    const fair = await aFeed("/fair.ics");
    const own = {
      kind: "event",
      title: "Quay fair",
      body: "Ours",
      starts_at: Date.UTC(2026, 11, 12, 19),
    } as const;
    await services.writing.create(own, fair.publisher, now);
    expect(await poll(fair.feed)).toMatchObject({ added: 1, folded: 0 });
  });

  it("leaves alone what a moderator removed or hid, and says nothing of it", async () => {
    const three = (title: string) =>
      serve(
        "/moderated",
        ["1", "2", "3"].map((id) => JSON.stringify({ id, title: `${title} ${id}` })).join("\n"),
      );
    three("Before");
    const { feed, publisher } = await aFeed("/moderated", { kind: "jsonl" });
    await poll(feed);
    const posts = new Map((await postsOf(publisher)).map(({ title, id }) => [title, id]));
    for (const [act, title] of [
      ["remove", "Before 1"],
      ["hide", "Before 2"],
    ] as const)
      await board.board.services.moderation.act(act, posts.get(title) ?? "", "test", now);
    three("After");
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 1, retired: 0, refused: [] });
    expect(await titlesOf(publisher)).toEqual(["After 3"]);
  });

  it("loses one entry alone by an unexpected error, and names it", async () => {
    serve(
      "/unlucky.ics",
      calendar({ u: "SUMMARY:Unlucky|DTSTART:20261212T190000Z", l: EVENTS.b.replace("Bike", "Lucky") }),
    );
    const { feed, publisher } = await aFeed("/unlucky.ics");
    const { writing } = board.board.services;
    const create = vi.spyOn(writing, "create").mockRejectedValueOnce(new TypeError("what nobody expected"));
    // What begins first is written first.
    const found = await poll(feed);
    create.mockRestore();
    expect(found).toMatchObject({ added: 1, refused: ["Lucky repair: what nobody expected"] });
    expect(await titlesOf(publisher)).toEqual(["Unlucky"]);
  });

  it("waits for a second answer before most of its posts end, and does nothing on the first", async () => {
    const rows = (...titles: string[]) =>
      titles.map((title) => JSON.stringify({ id: title, title })).join("\n");
    const titles = ["Kiosk", "Lido", "Mill", "Nook"].map((name) => `${name} is open`);
    serve("/rows.jsonl", rows(...titles));
    const { feed, publisher } = await aFeed("/rows.jsonl", { kind: "jsonl" });
    expect(await poll(feed)).toMatchObject({ added: 4 });
    serve("/rows.jsonl", rows("Service unavailable"));
    expect(await poll(feed)).toMatchObject({ added: 0, retired: 0, doubted: 4 });
    serve("/rows.jsonl", rows(...titles));
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 0, retired: 0, doubted: 0 });
    expect(await titlesOf(publisher)).toEqual(titles);
    serve("/rows.jsonl", rows("Kiosk is open"));
    expect(await poll(feed)).toMatchObject({ retired: 0, doubted: 3 });
    expect(await poll(feed)).toMatchObject({ retired: 3, doubted: 0 });
    expect(await titlesOf(publisher)).toEqual(["Kiosk is open"]);
    serve("/rows.jsonl", rows(...titles));
    await poll(feed);
    serve("/rows.jsonl", rows(...titles.slice(2)));
    // Half of them is not most of them.
    expect(await poll(feed)).toMatchObject({ retired: 2, doubted: 0 });
  });

  it("keeps a post for each of two equal things where the source changes its ids, and ends the one that is gone", async () => {
    const at = { starts_at: "2026-12-10T08:00Z", location: "Depot" };
    const shifts = (...ids: string[]) =>
      serve("/shifts", ids.map((id) => JSON.stringify({ id, title: "Depot shift", ...at })).join("\n"));
    shifts("1", "2");
    const { feed, publisher } = await aFeed("/shifts", { kind: "jsonl", postKind: "event" });
    expect(await poll(feed)).toMatchObject({ added: 2 });
    const ids = async () => (await postsOf(publisher)).map(({ id }) => id).sort();
    const sources = async () =>
      (await postsOf(publisher)).map(({ metadata }) => metadata["source_id"]).sort();
    const before = await ids();
    shifts("3", "4");
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 2, retired: 0 });
    expect([await ids(), await sources()]).toEqual([before, ["3", "4"]]);
    shifts("4");
    expect(await poll(feed)).toMatchObject({ added: 0, changed: 0, retired: 1, doubted: 0 });
    expect(await sources()).toEqual(["4"]);
  });

  it("names what it could not take, in its state too", async () => {
    serve(
      "/bad.ics",
      calendar({ good: "SUMMARY:Good egg|DTSTART:20261214T120000Z", bad: "SUMMARY:Bad egg|DTSTART:someday" }),
    );
    const { feed } = await aFeed("/bad.ics");
    const refused = ['Bad egg: "someday" is no time.'];
    expect(await poll(feed)).toMatchObject({ added: 1, refused });
    expect(await board.board.syndication.feeds.state(feed.id)).toMatchObject({ failures: 0, refused });
    serve(
      "/bad.ics",
      calendar(Object.fromEntries([..."abcdefghijkl"].map((uid) => [uid, "DTSTART:someday"]))),
    );
    await poll(feed);
    expect((await board.board.syndication.feeds.state(feed.id)).refused).toHaveLength(10);
  });

  it("adds no more a day than its ceiling, and the rest the next day", async () => {
    const many = (count: number) =>
      serve(
        "/many.ics",
        calendar(
          Object.fromEntries(
            Array.from({ length: count }, (_, n) => [
              `m${n}`,
              `SUMMARY:Lesson number ${n}|DTSTART:202612${10 + n}T090000Z`,
            ]),
          ),
        ),
        { etag: `"${count}"` },
      );
    many(3);
    const { feed, publisher } = await aFeed("/many.ics", { dailyMax: 5 });
    expect(await poll(feed)).toMatchObject({ added: 3, left: 0 });
    many(7);
    expect(await poll(feed)).toMatchObject({ added: 2, left: 2 });
    expect(await poll(feed)).toMatchObject({ added: 0, left: 2 });
    // What found no room has to be sent again.
    expect(source.asked.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"3"',
      undefined,
    ]);
    now += 24 * HOUR_MS;
    expect(await poll(feed)).toMatchObject({ added: 2, left: 0 });
    expect(await postsOf(publisher)).toHaveLength(7);
    now = START;
  });

  it("of more than a thousand events shows those that begin first", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_100 }, (_, n) => [
        `n${n}`,
        `SUMMARY:Slot ${n}|DTSTART:${new Date(START + (1_100 - n) * 60_000).toISOString().replace(/[-:]|\.\d+/g, "")}`,
      ]),
    );
    serve("/huge.ics", calendar(many));
    const { feed, publisher } = await aFeed("/huge.ics", { dailyMax: 50 });
    expect(await poll(feed)).toMatchObject({ added: 50, left: 1_050 });
    expect((await postsOf(publisher)).every(({ startsAt }) => (startsAt ?? 0) <= START + 51 * 60_000)).toBe(
      true,
    );
  });
});

it("the list of feeds waits for another process that changes it, however long that takes", async () => {
  const { store } = board.board;
  let at = now;
  const feeds = new Feeds(store, () => {
    at += 4_000;
    return at;
  });
  await store.leases.acquire("feeds", "another", 10_000, now);
  let changed = 0;
  await feeds.change((all) => {
    changed = at;
    return all;
  });
  expect(changed).toBe(now + 12_000);
});

describe("news that is relayed", () => {
  it("is free of markup, and stays when it leaves the feed", async () => {
    const rss = (items: string) => `<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`;
    const entry = `<item><title>Bridge &amp;lt;closed&amp;gt;</title><guid>n1</guid><link>https://example.org/bridge?utm_source=feed</link><description><![CDATA[<p>The <b>bridge</b> is <a href="https://example.org/x">closed</a>.</p><script>alert(1)</script><ul><li>one</li></ul>]]></description></item>`;
    serve("/news.xml", rss(entry));
    const { feed, publisher } = await aFeed("/news.xml", { kind: "rss" });
    expect(await poll(feed)).toMatchObject({ added: 1 });
    const [post] = await postsOf(publisher);
    expect(post).toMatchObject({
      kind: "announcement",
      sourceUrl: "https://example.org/bridge?utm_source=feed",
    });
    expect(post?.body).toContain("The bridge is closed (https://example.org/x).");
    expect(post?.body).not.toMatch(/<|alert/);
    serve("/news.xml", rss(entry.replaceAll("n1", "n2").replaceAll("ridge", "oad")));
    expect(await poll(feed)).toMatchObject({ added: 1, retired: 0 });
    expect(await postsOf(publisher)).toHaveLength(2);
  });
});

describe("the source is asked politely", () => {
  it("with what it said of its last version; 304 costs nothing", async () => {
    answer("/tagged.ics", (request, response) => {
      const headers = { etag: '"v1"', "last-modified": "Sun, 22 Nov 2026 10:00:00 GMT" };
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304, headers).end();
      else
        response.writeHead(200, headers).end(calendar({ t: "SUMMARY:Tagged talk|DTSTART:20261205T180000Z" }));
    });
    const { feed } = await aFeed("/tagged.ics");
    await poll(feed);
    expect(await poll(feed)).toEqual({ unchanged: true });
    expect(source.asked.at(-1)?.headers["if-modified-since"]).toBe("Sun, 22 Nov 2026 10:00:00 GMT");
  });

  it("packed answers are unpacked", async () => {
    serve("/packed.ics", gzipSync(calendar({ p: "SUMMARY:Packed lunch|DTSTART:20261205T180000Z" })), {
      "content-encoding": "gzip",
    });
    const packed = await aFeed("/packed.ics");
    expect(await poll(packed.feed)).toMatchObject({ added: 1 });
  });

  it("redirects are followed, within bounds", async () => {
    serve("/there.ics", calendar({ r: "SUMMARY:Redirected ride|DTSTART:20261205T180000Z" }));
    answer("/here.ics", (_request, response) => response.writeHead(302, { location: "/there.ics" }).end());
    answer("/loop.ics", (_request, response) => response.writeHead(302, { location: "/loop.ics" }).end());
    expect(await poll((await aFeed("/here.ics")).feed)).toMatchObject({ added: 1 });
    // A relative address begins where it was given, not at the first one.
    serve("/deep/ride.ics", calendar({ d: "SUMMARY:Deep ride|DTSTART:20261205T180000Z" }));
    answer("/deep/step", (_request, response) => response.writeHead(301, { location: "ride.ics" }).end());
    answer("/deep.ics", (_request, response) => response.writeHead(307, { location: "/deep/step" }).end());
    expect(await poll((await aFeed("/deep.ics")).feed)).toMatchObject({ added: 1 });
    await expect(poll((await aFeed("/loop.ics")).feed)).rejects.toThrow("redirects");
    for (let hops = 1; hops <= 6; hops += 1) {
      const location = hops === 1 ? "/there.ics" : `/hops-${hops - 1}`;
      answer(`/hops-${hops}`, (_request, response) => response.writeHead(302, { location }).end());
    }
    expect(await poll((await aFeed("/hops-5")).feed)).toMatchObject({ folded: 1 });
    await expect(poll((await aFeed("/hops-6")).feed)).rejects.toThrow("more than 5 times");
    answer("/inside.ics", (_request, response) =>
      response.writeHead(302, { location: "http://[::1]:1/x" }).end(),
    );
    await expect(poll((await aFeed("/inside.ics")).feed)).rejects.toThrow("may not be called");
    answer("/nowhere.ics", (_request, response) => response.writeHead(302, { location: "http://[" }).end());
    await expect(poll((await aFeed("/nowhere.ics")).feed)).rejects.toThrow("no URL");
  });

  it("an exemption of the outgoing guard holds for the host that the operator named, not for where it redirects", async () => {
    const { port } = new URL(source.origin);
    serve("/private.ics", calendar({ s: "SUMMARY:Private party|DTSTART:20261205T180000Z" }));
    const location = `http://localhost:${port}/private.ics`;
    expect(await poll((await aFeed("/x", { url: location })).feed)).toMatchObject({ added: 1 });
    answer("/public.ics", (_request, response) => response.writeHead(302, { location }).end());
    // Nothing that the operator could name would help.
    await expect(poll((await aFeed("/public.ics")).feed)).rejects.toThrow(
      /may not be called(?!.*WEBHOOK_ALLOW)/,
    );
  });

  it("one in the operator's own network is refused with the cure, unless the operator named it", async () => {
    serve("/near.ics", calendar({ n: "SUMMARY:Near night|DTSTART:20261205T180000Z" }));
    const feed = aFeedOf({ url: `${source.origin}/near.ics` });
    const [guarded, named] = [openOutbound({ allow: [] }), openOutbound({ allow: ["127.0.0.1"] })];
    await expect(previewFeed(guarded, feed, now)).rejects.toThrow(/WEBHOOK_ALLOW=127\.0\.0\.1/);
    await expect(previewFeed(guarded, aFeedOf({ url: "near.ics" }), now)).rejects.toThrow(
      "near.ics is no URL",
    );
    expect((await previewFeed(named, feed, now)).entries).toHaveLength(1);
    await Promise.all([guarded.close(), named.close()]);
  });

  it("a feed that fails waits ever longer, as long as the source asks, and one that is gone is paused", async () => {
    answer("/down.ics", (_request, response) => response.writeHead(503, { "retry-after": "36000" }).end());
    const { feed } = await aFeed("/down.ics");
    const { feeds } = board.board.syndication;
    await expect(poll(feed)).rejects.toThrow("503");
    expect(await feeds.state(feed.id)).toMatchObject({
      failures: 1,
      nextAt: now + 10 * HOUR_MS,
      lastError: "The source answered 503.",
    });
    // Twice as long each time, a day at most; a source may ask for a week.
    for (const [at, [status, hours]] of [
      [500, 4],
      [404, 8],
      [403, 16],
      [401, 24],
      [502, 24],
    ].entries()) {
      answer("/down.ics", (_request, response) => response.writeHead(status ?? 0).end());
      await expect(poll(feed)).rejects.toThrow(String(status));
      expect(await feeds.state(feed.id)).toMatchObject({
        failures: at + 2,
        nextAt: now + (hours ?? 0) * HOUR_MS,
      });
    }
    expect((await feeds.all()).find(({ id }) => id === feed.id)?.paused).toBe(false);
    answer("/down.ics", (_request, response) => response.writeHead(429, { "retry-after": "2419200" }).end());
    await expect(poll(feed)).rejects.toThrow("429");
    expect(await feeds.state(feed.id)).toMatchObject({ nextAt: now + 7 * 24 * HOUR_MS });
    answer("/down.ics", (_request, response) => response.writeHead(304).end());
    await expect(poll(feed)).rejects.toThrow("304");
    serve("/down.ics", calendar({ up: "SUMMARY:Up again|DTSTART:20261205T180000Z" }));
    await poll(feed);
    const healthy = { failures: 0, lastError: null, succeededAt: now, nextAt: now + HOUR_MS };
    expect(await feeds.state(feed.id)).toMatchObject(healthy);
    answer("/down.ics", (_request, response) => response.writeHead(410).end());
    await expect(poll(feed)).rejects.toThrow("410");
    expect((await feeds.all()).find(({ id }) => id === feed.id)?.paused).toBe(true);
  });

  it("an error of any kind is the error of its feed, which waits; the next feed of its host is polled", async () => {
    serve("/odd.jsonl", JSON.stringify({ title: "Odd number", starts_at: 1e300 }));
    serve("/even.jsonl", JSON.stringify({ title: "Even number" }));
    const [odd, even] = [
      await aFeed("/odd.jsonl", { kind: "jsonl" }),
      await aFeed("/even.jsonl", { kind: "jsonl" }),
    ];
    await board.board.syndication.pollDue(now, async () => true);
    const { feeds } = board.board.syndication;
    expect(await feeds.state(odd.feed.id)).toMatchObject({
      polledAt: now,
      refused: [expect.stringContaining("1e+300")],
    });
    expect(await titlesOf(even.publisher)).toEqual(["Even number"]);
  });
});
