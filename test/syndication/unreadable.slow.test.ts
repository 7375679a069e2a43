import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FeedKind } from "../../src/syndication/kinds/index.ts";
import { activePosts, addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { useTestBoard } from "../support/boards/use.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
let source: FeedSource;
const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => NOW, idle: true });
beforeAll(async () => {
  source = await startFeedSource();
});
afterAll(() => source.close());

const event = (uid: string, ...lines: string[]) => ["BEGIN:VEVENT", `UID:${uid}`, ...lines, "END:VEVENT"];
const calendar = (...events: string[][]) =>
  ["BEGIN:VCALENDAR", ...events.flat(), "END:VCALENDAR", ""].join("\r\n");
const concert = event("c@x", "SUMMARY:Concert", "DTSTART:20261213T180000Z");
const weekly = event("w@x", "SUMMARY:Yoga", "DTSTART:20261201T180000Z", "RRULE:FREQ=WEEKLY;COUNT=3");
const moved = (start: string) =>
  event("w@x", "SUMMARY:Yoga, moved", "RECURRENCE-ID:20261208T180000Z", `DTSTART:${start}`);
const rows = (...texts: object[]) => texts.map((row) => JSON.stringify(row)).join("\n");
const fair = { id: "1", title: "Fair", starts_at: "2026-12-12T10:00:00Z" };
const walk = { id: "2", title: "Walk", starts_at: "2026-12-13T10:00:00Z" };
const features = (...all: ({ id: string } & Record<string, unknown>)[]) =>
  JSON.stringify({
    type: "FeatureCollection",
    features: all.map(({ id, ...properties }) => ({ type: "Feature", id, geometry: null, properties })),
  });

/** Two feeds that list the same thing share a post, so that each has titles of its own. */
const own = (text: string, n: number) => text.replace(/Fair|Walk|Yoga|Concert|Third|Seed swap/g, `$& ${n}`);

/** A feed before and after one of its entries became unreadable, what is said of that, and what is still on the board. */
const CASES: [what: string, kind: FeedKind, before: string, after: string, fault: RegExp, stay: string[]][] =
  [
    [
      "an event with a day that does not exist",
      "ics",
      calendar(event("a@x", "SUMMARY:Seed swap", "DTSTART:20261212T180000Z"), concert),
      calendar(event("a@x", "SUMMARY:Seed swap", "DTSTART:20261340T180000Z"), concert),
      /^Seed swap: .* is no time/,
      ["Concert", "Seed swap"],
    ],
    [
      "a series whose rule cannot be read",
      "ics",
      calendar(weekly, concert),
      calendar(
        weekly.map((line) => line.replace("WEEKLY", "SOMETIMES")),
        concert,
      ),
      /^Yoga: its rule/,
      ["Concert", "Yoga", "Yoga", "Yoga"],
    ],
    [
      "an exception of a series",
      "ics",
      calendar(weekly, moved("20261209T190000Z")),
      calendar(weekly, moved("TBD")),
      /^Yoga, moved: .* is no time/,
      ["Yoga", "Yoga", "Yoga, moved"],
    ],
    [
      "a row with a start that is none",
      "jsonl",
      rows(fair, walk),
      rows({ ...fair, starts_at: "TBD" }, walk),
      /^Entry 1: its `starts_at` cannot be read/,
      ["Fair", "Walk"],
    ],
    [
      "a broken line",
      "jsonl",
      rows(fair, walk),
      `{"id":"1","location":{"id":"2","na\n${rows(walk)}`,
      /^Entry 1: it is no JSON/,
      ["Fair", "Walk"],
    ],
    [
      "a line that breaks off before its id",
      "jsonl",
      rows(fair, walk),
      `{"ti\n${rows(walk)}`,
      /^Entry 1: it is no JSON/,
      ["Fair", "Walk"],
    ],
    [
      "a feature with a month that does not exist",
      "geojson",
      features(fair, walk),
      features({ ...fair, starts_at: "2026-13-05" }, walk),
      /^Entry 1: its `starts_at` cannot be read/,
      ["Fair", "Walk"],
    ],
    [
      "a feature that lost its title",
      "geojson",
      features(fair, walk),
      features({ ...fair, title: "" }, walk),
      /^Entry 1: it has no title/,
      ["Fair", "Walk"],
    ],
  ];

describe("what is in a feed and cannot be read any more keeps its post, and is named:", () => {
  it.each(CASES.map((one, n) => [one[0], n] as const))("%s", async (_what, n) => {
    const [, kind, before, after, fault, stay] = CASES[n] as (typeof CASES)[number];
    source.serve(`/${n}`, own(before, n));
    const { feed, publisher } = await addFeed(board, `${source.origin}/${n}`, { kind });
    await board.board.syndication.poll(feed);
    const titles = async () =>
      (await activePosts(board, publisher)).map(({ title }) => title.replace(/ \d/, "")).sort();
    expect(await titles()).toEqual(stay);
    const posted = await activePosts(board, publisher);
    source.serve(`/${n}`, own(after, n));
    expect(await board.board.syndication.poll(feed)).toMatchObject({ added: 0, retired: 0, changed: 0 });
    expect(await activePosts(board, publisher)).toEqual(posted);
    const { refused } = await board.board.syndication.feeds.state(feed.id);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.replace(` ${n}`, "")).toMatch(fault);
  });

  it.each<[FeedKind, string, string, string[]]>([
    [
      "jsonl",
      rows(fair, walk, { ...walk, id: "3", title: "Third" }),
      rows({ ...fair, starts_at: "TBD" }, { ...walk, id: "3", title: "Third" }),
      ["Fair", "Third"],
    ],
    // Its id begins with that of the series.
    [
      "ics",
      calendar(weekly, event("w@x2", "SUMMARY:Walk", "DTSTART:20261213T170000Z"), concert),
      calendar(
        weekly.map((line) => line.replace("WEEKLY", "SOMETIMES")),
        concert,
      ),
      ["Concert", "Yoga", "Yoga", "Yoga"],
    ],
  ])("what has vanished beside it is retired, of %s", async (kind, before, after, stay) => {
    source.serve(`/gone-${kind}`, own(before, 9));
    const { feed, publisher } = await addFeed(board, `${source.origin}/gone-${kind}`, { kind });
    await board.board.syndication.poll(feed);
    source.serve(`/gone-${kind}`, own(after, 9));
    expect(await board.board.syndication.poll(feed)).toMatchObject({ retired: 1 });
    const left = (await activePosts(board, publisher)).map(({ title }) => title.replace(" 9", "")).sort();
    expect(left).toEqual(stay);
  });
});

it("a calendar at a webcal address is read, and its posts come from where it is", async () => {
  source.serve("/sub.ics", own(calendar(concert), 77));
  const url = `${source.origin.replace("http:", "webcal:")}/sub.ics`;
  const { feed, publisher } = await addFeed(board, url);
  expect(await board.board.syndication.poll(feed)).toMatchObject({ added: 1, refused: [] });
  const [post] = await activePosts(board, publisher);
  expect(post?.sourceUrl).toBe(url.replace("webcal:", "https:"));
});
