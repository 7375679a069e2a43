import { beforeAll, describe, expect, it } from "vitest";
import { ENGLISH, Language } from "../../src/adapters/pages/frame/language.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage, type Page, problemsOf } from "../support/texts/html.ts";

describe("pages write dates and numbers in the visitor's language", () => {
  let event: string;
  const now = Date.parse("2026-09-01T12:00:00Z");
  const board = useTestBoard({}, { clock: () => now });
  beforeAll(async () => {
    const { key } = await register(board);
    ({ id: event } = await write(board, key, {
      kind: "event",
      starts_at: "2026-10-03T19:30:00-04:00",
      ends_at: "2026-10-03T22:00:00-04:00",
      timezone: "America/New_York",
      location: { name: "New York", lat: 40.71, lng: -74.01 },
    }));
  });

  const page = (path: string, languages: string | undefined, more: Record<string, string> = {}) =>
    getPage(board, path, { ...(languages === undefined ? {} : { "accept-language": languages }), ...more });
  /** The line below the title, without its tags. */
  const whenOn = (text: string) =>
    (
      text.split('<article class="sheet')[1]?.split('<span class="hours">')[1]?.split(" <span")[0] ?? ""
    ).replace(/<[^>]+>/g, "");

  it.each([
    [undefined, undefined, "Sat 3 Oct 2026, 19:30–22:00"],
    ["en-US,en;q=0.9", undefined, "Sat 3 Oct 2026, 19:30–22:00"],
    ["de-AT, de;q=0.9, en;q=0.5", "de", "Sa., 3. Okt. 2026, 19:30–22:00"],
    ["es", "es", "sáb, 3 oct 2026, 19:30–22:00"],
    ["fr-CA", "fr", "sam. 3 oct. 2026, 19:30–22:00"],
    ["it", "it", "sab 3 ott 2026, 19:30–22:00"],
    ["ja", "ja", "2026年10月3日(土), 19:30–22:00"],
    ["nl", "nl", "za 3 okt 2026, 19:30–22:00"],
    ["pl", "pl", "sob., 3 paź 2026, 19:30–22:00"],
    ["pt-BR", "pt", "sáb., 3 de out. de 2026, 19:30–22:00"],
    ["zh-CN", "zh", "2026年10月3日周六, 19:30–22:00"],
    ["xx, de;q=0.3, fr;q=0.8", "fr", "sam. 3 oct. 2026, 19:30–22:00"],
    ["xx, de;q=0", undefined, "Sat 3 Oct 2026, 19:30–22:00"],
    [",;q=,%%%", undefined, "Sat 3 Oct 2026, 19:30–22:00"],
  ])("for Accept-Language %j as %j: %s", async (languages, tag, when) => {
    const { text } = await page(`/p/${event}`, languages);
    expect(whenOn(text)).toBe(when);
    expect(text).toContain('<html lang="en">');
    expect(text.match(/<time [^>]*lang="(\w+)"/)?.[1]).toBe(tag);
    expect(await problemsOf(text)).toEqual([]);
  });

  it("of several days, on the page of a post and in lists", async () => {
    const { key } = await register(board);
    const { id } = await write(board, key, {
      ...{ kind: "event", tags: ["days"], timezone: "Europe/Berlin" },
      ...{ starts_at: "2026-10-03T20:00:00+02:00", ends_at: "2026-10-05T18:30:00+02:00" },
    });
    const time = (at: string, words: string) =>
      `<time datetime="2026-10-${at}:00.000Z" lang="de">${words}</time>`;
    const { text } = await page(`/p/${id}`, "de");
    expect(text).toContain(
      `<span class="hours">${time("03T18:00", "Sa., 3. Okt. 2026, 20:00")} – ${time("05T16:30", "Mo., 5. Okt. 2026, 18:30")} <span class="mute">Berlin time</span>`,
    );
    const { text: list } = await page("/search?tags=days", "de");
    expect(list).toContain(
      `<span class="hours"><time datetime="2026-10-03T18:00:00.000Z">20:00</time> until ${time("05T16:30", "5. Okt.")}</span>`,
    );
    const open = await write(board, key, { kind: "offer", tags: ["days"], ends_at: "2026-10-05T16:30:00Z" });
    expect((await page(`/p/${open.id}`, "de")).text).toContain(
      `<span class="hours">until ${time("05T16:30", "Mo., 5. Okt. 2026, 16:30")}`,
    );
  });

  it.each([
    ["America/Port_of_Spain", "Hall", "Port of Spain time"],
    ["America/Argentina/Buenos_Aires", "Hall", "Buenos Aires time"],
    ["UTC", "Hall", "UTC"],
  ])("beside the clocks that they go by: %s, at %s", async (timezone, name, words) => {
    const { key } = await register(board);
    const starts_at = "2026-10-03T19:30";
    const { id } = await write(board, key, { kind: "event", timezone, starts_at, location: { name } });
    const { text } = await page(`/p/${id}`, "en");
    expect(text).toContain(`>Sat 3 Oct 2026, 19:30</time> <span class="mute">${words}</span></span>`);
  });

  it("and distances with the decimal mark of that language", async () => {
    const search = "/search?near=40.8,-74.01&radius_km=50";
    expect((await page(search, "en")).text).toMatch(
      /<span class="number">10 km|<span class="number">10\.\d km/,
    );
    expect((await page(search, "de")).text).toMatch(/<span class="number" lang="de">10(,\d)? km/);
  });

  it("and numbers with its marks between the thousands, named where they differ", () => {
    const [english, german] = [ENGLISH, new Language("de")].map((each) => String(each.figure(1_234)));
    expect([english, german]).toEqual(["1,234", '<span lang="de">1.234</span>']);
    expect(String(new Language("de").figure(999))).toBe("999");
  });

  it.each([
    ["whole", "Sat 5 Dec 2026", "Sa., 5. Dez. 2026"],
    ["dayOfWeek", "Sat 5 Dec", "Sa., 5. Dez."],
    ["spoken", "Saturday 5 December", "Samstag 5. Dezember"],
    ["date", "5 Dec 2026", "5. Dez. 2026"],
    ["day", "5 Dec", "5. Dez."],
    ["wholeMonth", "December 2026", "Dezember 2026"],
    ["monthAndYear", "Dec 2026", "Dez. 2026"],
    ["month", "Dec", "Dez"],
    ["weekday", "Sat", "Sa"],
  ] as const)("and dates in each form, in their own zone: %s", (form, english, german) => {
    const written = [ENGLISH, new Language("de")].map((each) =>
      each.date("2026-12-04T23:30:00Z", "Europe/Berlin", form),
    );
    expect(written).toEqual([english, german]);
  });

  it("under a tag of its own each, and caches are told", async () => {
    const english = await page(`/p/${event}`, "en");
    const german = await page(`/p/${event}`, "de");
    expect(german.headers.get("etag")).not.toBe(english.headers.get("etag"));
    for (const { headers } of [english, german]) {
      expect(headers.get("vary")?.split(/, */)).toContain("Accept-Language");
    }
    const again = (known: Page) =>
      page(`/p/${event}`, "de", { "if-none-match": known.headers.get("etag") ?? "" });
    expect((await again(english)).status).toBe(200);
    const known = await again(german);
    expect(known.status).toBe(304);
    expect(known.headers.get("vary")).toContain("Accept-Language");
  });

  it("but not in Markdown and JSON, which machines read", async () => {
    for (const suffix of [".md", ".json"]) {
      const [english, german] = await Promise.all(
        ["en", "de"].map((each) => page(`/p/${event}${suffix}`, each)),
      );
      expect(german?.headers.get("vary")).not.toContain("Accept-Language");
      if (suffix === ".md") expect(german?.text).toBe(english?.text);
    }
  });
});
