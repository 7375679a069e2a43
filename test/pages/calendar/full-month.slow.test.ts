import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { insertMany } from "../../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { getPage } from "../../support/texts/html.ts";

const NOW = Date.UTC(2026, 10, 27, 12);
const board = useTestBoard({ EMBEDDINGS: "off", RATE_LIMITS: "off" }, { clock: () => NOW });
const author = usePublisher(board, "Town list");
const day = (n: number) => `2027-01-${String(n).padStart(2, "0")}`;

describe("a month of 600 events, 220 of them exhibitions", () => {
  /** How many are on, by day. */
  const on = new Map<string, number>();
  const add = (n: number) => on.set(day(n), (on.get(day(n)) ?? 0) + 1);
  const month = async () => (await getPage(board, "/calendar?month=2027-01")).text;
  const sectionOf = (page: string, date: string) =>
    page.split(`<section id="day-${date}"`)[1]?.split("</section>")[0] ?? "";
  const linesOf = (section: string) => section.split("<li>").slice(1);
  let text = "";
  beforeAll(async () => {
    const events = Array.from({ length: 600 }, (_, n) => {
      const isLong = n < 220;
      const first = 1 + (isLong ? n % 5 : n % 31);
      const last = isLong ? 31 - (n % 3) : first;
      for (let at = first; at <= last; at += 1) add(at);
      return {
        kind: "event" as const,
        title: isLong ? `Exhibition ${n} of drawings` : `Event ${n} in the town`,
        startsAt: Date.parse(`${day(first)}T${isLong ? "09" : "19"}:00:00Z`),
        endsAt: Date.parse(`${day(last)}T22:00:00Z`),
        location: { name: "Town hall", lat: null, lng: null },
      };
    });
    await insertMany(board, events);
    text = await month();
  });

  it("has the number of each day, and the page weighs at most 25 kB, 15 packed", () => {
    for (const [date, count] of on)
      expect(text).toMatch(new RegExp(`href="#day-${date}" aria-label="[^"]+, ${count} events?"`));
    expect(on.size).toBe(31);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(25_000);
    expect(gzipSync(text).length).toBeLessThanOrEqual(15_000);
  });

  it("names what begins on each day before what goes on, and how many more there are: 42 lines in all, 8 a day", () => {
    const lines = new Map([...on.keys()].sort().map((date) => [date, linesOf(sectionOf(text, date)).length]));
    for (const [date, count] of on) {
      const section = sectionOf(text, date);
      const more = Number(/and (\d+) more/.exec(section)?.[1] ?? 0);
      expect((lines.get(date) ?? 0) + more).toBe(count);
      if (Number(date.slice(-2)) > 5) expect(linesOf(section)[0]).toMatch(/Event \d+ in the town/);
    }
    expect([...lines.values()]).toEqual([8, 5, ...Array(29).fill(1)]);
  });

  it("leads to the rest behind six hundred", async () => {
    const all =
      '<a class="button quiet" href="/search?kind=event&amp;after=2027-01-01&amp;before=2027-01-31&amp;sort=soonest">All events of these days</a>';
    expect(text).not.toContain(all);
    await write(board, author.key, { kind: "event", starts_at: "2027-01-31T20:00:00Z" });
    expect(await month()).toContain(all);
    expect((await getPage(board, "/calendar.md?month=2027-01")).text).toContain(
      `\nAll: ${board.url}/search?kind=event&after=2027-01-01&before=2027-01-31&sort=soonest\n`,
    );
  });

  it("names five of those that go on, and says of the others that they do", async () => {
    const fair = { kind: "event", starts_at: "2026-12-10T09:00:00Z", ends_at: "2026-12-12T17:00:00Z" };
    for (let n = 0; n < 7; n += 1) await write(board, author.key, { ...fair, title: `Fair ${n}` });
    const december = async () => (await getPage(board, "/calendar?month=2026-12")).text;
    const told = async (date: string) => {
      const section = sectionOf(await december(), date);
      return [linesOf(section).length, />and ([^<]*)</.exec(section)?.[1]];
    };
    expect([await told("2026-12-10"), await told("2026-12-11")]).toEqual([
      [7, undefined],
      [5, "2 more that go on"],
    ]);
    await write(board, author.key, { kind: "event", starts_at: "2026-12-11T19:00:00Z" });
    expect(await told("2026-12-11")).toEqual([6, "2 more that go on"]);
    for (let n = 0; n < 8; n += 1)
      await write(board, author.key, { kind: "event", starts_at: "2026-12-11T20:00:00Z" });
    expect(await told("2026-12-11")).toEqual([8, "8 more"]);
  });
});
