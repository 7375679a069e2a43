import ical from "node-ical";
import RssParser from "rss-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { activePosts, addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { AWKWARD_FEEDS, type AwkwardFeed } from "../support/texts/awkward-feeds.ts";

const START = Date.UTC(2026, 10, 22, 12);
const DAY_MS = 86_400_000;
let now = START;
let source: FeedSource;

beforeAll(async () => {
  source = await startFeedSource();
});
afterAll(() => source.close());

const minute = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16));

describe("an awkward feed is relayed right, or refused with a reason:", () => {
  const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now, idle: true });

  it.each(AWKWARD_FEEDS.map((feed, n) => [feed.what, feed, n] as const))("%s", async (_what, awkward, n) => {
    now = START;
    const path = `/${n}`;
    const { feed, publisher } = await addFeed(board, source.origin + path, { kind: awkward.kind });
    const poll = (count: number) => {
      source.serve(path, awkward.body(count), awkward.headers);
      return board.board.syndication.poll(feed);
    };
    const { becomes } = awkward;
    if (becomes instanceof RegExp) {
      await expect(poll(0)).rejects.toThrow(becomes);
      expect(await activePosts(board, publisher)).toEqual([]);
      return;
    }
    const { refused = [] } = awkward;
    expect(await poll(0)).toMatchObject({ added: becomes.length, folded: 0, refused });
    const posts = (await activePosts(board, publisher)).sort(
      (a, b) => a.title.localeCompare(b.title) || (a.startsAt ?? 0) - (b.startsAt ?? 0),
    );
    expect(posts.map(({ title, startsAt, endsAt }) => [title, minute(startsAt), minute(endsAt)])).toEqual(
      becomes,
    );
    if (awkward.urls !== undefined) {
      const urls = awkward.urls.map((url) => url.replace("ORIGIN", source.origin));
      expect(posts.map(({ sourceUrl }) => sourceUrl)).toEqual(urls);
    }
    // The next day it is read again as a whole.
    now += DAY_MS + 1;
    expect(await poll(1)).toMatchObject({ added: 0, changed: awkward.changes ?? 0, retired: 0 });
    expect(await activePosts(board, publisher)).toHaveLength(becomes.length);
  });
});

/** Titles and starts by another parser. */
async function readElsewhere({ kind, body }: AwkwardFeed): Promise<[string, string | null][]> {
  const text = body(0).toString();
  if (kind !== "ics") {
    const { items } = await new RssParser().parseString(text);
    return items.map(({ title = "" }) => [title, null]);
  }
  const [from, to] = [new Date(START), new Date(START + 365 * DAY_MS)];
  return Object.values(ical.sync.parseICS(text)).flatMap((event) => {
    if (event?.type !== "VEVENT" || event.status === "CANCELLED") return [];
    const occurrences = ical.expandRecurringEvent(event, { from, to });
    return occurrences
      .filter((occurrence) => occurrence.event.status !== "CANCELLED")
      .map((occurrence): [string, string | null] => [
        String(occurrence.summary),
        minute(occurrence.start.getTime()),
      ]);
  });
}

describe("another parser reads the same:", () => {
  const readable = AWKWARD_FEEDS.filter(
    ({ kind, becomes, ours }) =>
      ours === undefined && !(becomes instanceof RegExp) && ["ics", "rss", "atom"].includes(kind),
  );
  it.each(readable.map((feed) => [feed.what, feed] as const))("%s", async (_what, awkward) => {
    const expected = awkward.becomes as Exclude<AwkwardFeed["becomes"], RegExp>;
    const found = await readElsewhere(awkward);
    expect(found.sort(([a, x], [b, y]) => a.localeCompare(b) || (x ?? "").localeCompare(y ?? ""))).toEqual(
      expected.map(([title, start]) => [title, start]),
    );
  });

  it("at least nine of them", () => expect(readable.length).toBeGreaterThanOrEqual(9));
});
