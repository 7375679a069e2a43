import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { bodyText, oneLine } from "../../src/adapters/pages/frame/html.ts";
import { call } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage } from "../support/texts/html.ts";

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
        starts_at: Date.parse(`${day(first)}T${isLong ? "09" : "19"}:00:00Z`),
        ends_at: Date.parse(`${day(last)}T22:00:00Z`),
        location: { name: "Town hall", lat: null, lng: null },
      };
    });
    await writeMany(board, events);
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

describe("a day without an hour", () => {
  it.each(["Pacific/Auckland", "America/Sao_Paulo", "Asia/Kolkata"])(
    "in %s is a whole day everywhere",
    async (timezone) => {
      for (const starts_at of ["2026-12-05", "2026-12-05T00:00"]) {
        const post = await write(board, author.key, { kind: "event", starts_at, timezone });
        const page = (await getPage(board, `/p/${post.id}`)).text;
        const calendar = (await getPage(board, `/p/${post.id}.ics`)).text;
        expect(page).not.toContain("00:00<");
        expect(page).toContain('"startDate":"2026-12-05"');
        expect(calendar).toContain("DTSTART;VALUE=DATE:20261205");
        expect(calendar).toContain("TRANSP:TRANSPARENT");
        const moved = await call(
          board,
          `PATCH /posts/${post.id}`,
          { starts_at: "2026-12-06", timezone },
          author,
        );
        expect(moved.status).toBe(200);
        expect((await getPage(board, `/p/${post.id}.ics`)).text).toContain("DTSTART;VALUE=DATE:20261206");
      }
    },
  );

  it("has hours where it has them, and says so where its source does", async () => {
    const at = (fields: object) =>
      write(board, author.key, { kind: "event", timezone: "Asia/Kolkata", ...fields });
    const night = await at({ starts_at: "2026-12-05T00:00", ends_at: "2026-12-05T04:00" });
    const moment = await at({ starts_at: "2026-12-05T00:00", metadata: { all_day: false } });
    for (const { id } of [night, moment])
      expect((await getPage(board, `/p/${id}.ics`)).text).toContain("DTSTART:20261204T183000Z");
  });

  it("of today is not past, and a month is refused with the question which day", async () => {
    const sent = { kind: "event", title: "Flea market", body: "Stalls", timezone: "America/Sao_Paulo" };
    const today = await call(board, "POST /posts", { ...sent, starts_at: "2026-11-27" }, author);
    expect([today.status, today.body.meta?.note ?? ""]).toEqual([201, expect.not.stringContaining("past")]);
    for (const starts_at of ["2027-02", "2027-W05", "2027"]) {
      const { status, body } = await call(board, "POST /posts", { ...sent, starts_at }, author);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("which day is it?")]);
    }
  });

  it("more than a year ahead: the poster is told that the post ends before it", async () => {
    const sent = { kind: "event", title: "Jubilee", body: "Of the town", starts_at: "2027-12-24T10:00Z" };
    expect((await call(board, "POST /posts", sent, author)).body.meta.note).toContain(
      "expires before its start",
    );
  });
});

describe("what may not take place", () => {
  it.each([
    ["cancelled", "EventCancelled", "CANCELLED"],
    ["Canceled", "EventCancelled", "CANCELLED"],
    ["postponed", "EventPostponed", "CANCELLED"],
    ["tentative", "EventScheduled", "TENTATIVE"],
  ])("%s is said on page, list, data and calendar", async (status, data, calendar) => {
    const fields = { kind: "event", starts_at: "2026-12-08T18:00:00Z", metadata: { status } };
    const post = await write(board, author.key, { ...fields, title: `Carols, ${status}` });
    const page = (await getPage(board, `/p/${post.id}`)).text;
    const word = status.toLowerCase().replace("canceled", "cancelled");
    expect(page).toContain(`<span class="warning">${word}</span>`);
    expect(page).toContain(`https://schema.org/${data}`);
    expect((await getPage(board, `/p/${post.id}.ics`)).text).toContain(`STATUS:${calendar}`);
    expect((await getPage(board, "/calendar?month=2026-12")).text).toContain(
      `<span class="warning">${word}</span>`,
    );
  });
});

it.each([
  ["See https://en.wikipedia.org/wiki/Foo_(bar) there", "https://en.wikipedia.org/wiki/Foo_(bar)"],
  ["(see https://en.wikipedia.org/wiki/Foo_(bar))", "https://en.wikipedia.org/wiki/Foo_(bar)"],
  ["(see https://example.org/c)", "https://example.org/c"],
  ["参照 https://example.org/a。次の文", "https://example.org/a"],
  ["“https://example.org/i” «https://example.org/j»", "https://example.org/j"],
  ["**https://example.org/b** and _https://example.org/d_", "https://example.org/d"],
  ["https://example.org/e — soon", "https://example.org/e"],
  ["https://example.org/f?x=1_2.", "https://example.org/f?x=1_2"],
])("the link in %j ends where the address does", (text, address) =>
  expect(bodyText(text).toString()).toContain(`href="${address}" `),
);

it.each(["👨‍👩‍👧‍👦", "🇳🇿", "e\u0301"])("no title is cut within %s", (sign) => {
  for (let n = 110; n < 120; n += 1) {
    const line = oneLine(`${"x".repeat(n)}${sign} party at the lake tonight`, 120);
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line.replaceAll(sign, "")).toMatch(/^x+( p?a?r?t?y?.*)?…$/);
  }
});
