import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { activePosts, addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { AWKWARD_FEEDS } from "../support/texts/awkward-feeds.ts";

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
