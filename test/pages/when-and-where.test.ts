import { describe, expect, it } from "vitest";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage } from "../support/texts/html.ts";

const DAY_MS = 86_400_000;

/** The text of a page between two marks, without its tags. */
const textBetween = (page: string, from: string, to: string) =>
  (page.split(from)[1]?.split(to)[0] ?? "").replace(/<[^>]+>/g, "");

describe("pages tell when and where", () => {
  let now = Date.parse("2027-05-01T12:00:00Z");
  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board);

  const event = (fields: Record<string, unknown>) => write(board, me.key, { kind: "event", ...fields });

  it("below the title of a post", async () => {
    const { id } = await event({
      starts_at: "2027-05-28T18:00:00+02:00",
      ends_at: "2027-05-28T22:00:00+02:00",
      timezone: "Europe/Berlin",
      location: { name: "Riverside <Park>" },
    });
    const { text } = await getPage(board, `/p/${id}`);
    const [, sheet = ""] = text.split('<article class="sheet');
    expect(textBetween(sheet, '<span class="hours">', "<span>by")).toBe(
      "Fri 28 May 2027, 18:00–22:00 Berlin timeRiverside &lt;Park&gt;",
    );
    expect(text).not.toContain("≈");
  });

  it("with a sign where the place was found by its name alone, and no pin on the map", async () => {
    const { id } = await event({ location: { name: "Utrecht" } });
    const { text } = await getPage(board, `/p/${id}`);
    expect(text).toContain("≈\u00a0</span><bdi>Utrecht</bdi>");
    expect(text).not.toMatch(/mlat=|\b52\.09\d\d, 5\.1/);
    expect((await getPage(board, "/search?sort=newest")).text).toContain("≈\u00a0</span><bdi>Utrecht</bdi>");
  });

  it.each([
    ["18:00–22:00", "2027-05-28T18:00:00+02:00", "2027-05-28T22:00:00+02:00", {}],
    ["22:00–02:00", "2027-05-28T22:00:00+02:00", "2027-05-29T02:00:00+02:00", {}],
    ["09:00 until 30 May", "2027-05-28T09:00:00+02:00", "2027-05-30T17:00:00+02:00", {}],
    ["09:00", "2027-05-28T09:00:00+02:00", undefined, {}],
    ["until 30 May", "2027-05-28T00:00:00+02:00", "2027-05-31T00:00:00+02:00", { all_day: true }],
    ["", "2027-05-28T00:00:00+02:00", "2027-05-29T00:00:00+02:00", { all_day: true }],
  ])("in lists, as %j beside the day", async (shown, starts_at, ends_at, metadata) => {
    const { id } = await event({ starts_at, ends_at, metadata, timezone: "Europe/Berlin" });
    const { text } = await getPage(board, "/search?kind=event&sort=newest");
    const [card = ""] = text.split(`id="post-${id}"`)[1]?.split("</li>") ?? [];
    expect(textBetween(card, '<span class="hours">', "</span>")).toBe(shown);
  });

  it("in the time zone of the place where a post names none, else in UTC", async () => {
    const placed = await event({
      starts_at: "2027-05-28T16:00:00Z",
      location: { name: "Berlin", lat: 52.52, lng: 13.4 },
    });
    const placeless = await event({ starts_at: "2027-05-28T16:00:00Z" });
    const { text } = await getPage(board, "/search?kind=event&sort=newest");
    const hours = (id: string) =>
      textBetween(text.split(`id="post-${id}"`)[1] ?? "", '<span class="hours">', "</span>");
    expect([hours(placed.id), hours(placeless.id)]).toEqual(["18:00", "16:00 UTC"]);
    const { text: page } = await getPage(board, `/p/${placed.id}`);
    expect(page).toContain("28 May 2027, 18:00</time>");
    expect((await getPage(board, `/p/${placeless.id}`)).text).toContain('<span class="mute">UTC</span>');
  });

  it("and that a post is over, which then is no longer offered for a calendar", async () => {
    const { id } = await event({
      starts_at: new Date(now + DAY_MS).toISOString(),
      expires_at: new Date(now + 30 * DAY_MS).toISOString(),
    });
    const before = await getPage(board, `/p/${id}`);
    expect(before.text).toContain("Add to calendar");
    expect(before.text).not.toContain(">over<");
    now += 3 * DAY_MS;
    const after = await getPage(board, `/p/${id}`);
    expect(after.text).toContain('<span class="warning">over</span>');
    expect(after.text).not.toContain(".ics");
  });
});
