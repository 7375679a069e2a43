import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage, problemsOf } from "../support/texts/html.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-25T12:00:00Z");
const BERLIN = { name: "Berlin", lat: 52.52, lng: 13.4 };
const PARIS = { name: "Paris", lat: 48.86, lng: 2.35 };

/** The titles below a heading of the front page. */
function titlesIn(text: string, id: string): string[] {
  const [section = ""] = text.split(`id="${id}"`)[1]?.split("</section>") ?? [];
  return [...section.matchAll(/<h3[^>]*><a[^>]*>([^<]*)</g)].map(([, title]) => String(title));
}

describe("the front page", () => {
  const board = useTestBoard(
    { BOARD_NAME: "Kiez & Board", BOARD_LANGUAGE: "de", HOME_PLACE: "Berlin" },
    { clock: () => NOW },
  );
  beforeAll(async () => {
    const { key } = await register(board);
    const event = (title: string, starts_at: string, more: Record<string, unknown> = {}) =>
      write(board, key, { kind: "event", title, starts_at, location: BERLIN, ...more });
    await event("Fair", "2026-11-24T08:00:00Z", { ends_at: "2026-11-26T16:00:00Z" });
    await event("Concert", "2026-11-25T19:00:00Z", { ends_at: "2026-11-25T23:30:00Z" });
    await event("Breakfast", "2026-11-25T07:00:00Z", { ends_at: "2026-11-25T08:00:00Z" });
    await event("Exhibition", "2026-11-01T08:00:00Z", { ends_at: "2026-12-20T16:00:00Z" });
    // Saturday in Berlin, still Friday in UTC.
    await event("Night walk", "2026-11-27T23:30:00Z");
    await event("Brunch", "2026-11-29T10:00:00Z");
    await event("Lecture", "2026-12-01T18:00:00Z");
    await event("Far ahead", "2026-12-15T18:00:00Z");
    await event("Opera", "2026-11-25T19:00:00Z", { location: PARIS });
    await write(board, key, { kind: "offer", title: "Road bike" });
  });

  it("says what is on near the board's home, each event in the first span of days that fits it", async () => {
    const { text } = await getPage(board, "/");
    expect(titlesIn(text, "today")).toEqual(["Concert", "Fair"]);
    expect(titlesIn(text, "weekend")).toEqual(["Night walk", "Brunch"]);
    expect(titlesIn(text, "week")).toEqual(["Lecture"]);
    expect(titlesIn(text, "running")).toEqual(["Exhibition"]);
    expect(text).toContain("What is on near <bdi>Berlin</bdi>");
    expect(text).toContain("Road bike");
    expect(text).not.toContain("Far ahead");
  });

  it("keeps the place that a visitor chose in its form, its kinds and its links, and no other", async () => {
    const { text } = await getPage(board, "/?near=Paris");
    expect(text).toContain('name="near" value="Paris"');
    expect(text).toContain(
      'href="/search?near=Paris&amp;sort=newest&amp;kind=offer">Offers <span class="number">0</span>',
    );
    expect(text).not.toContain("Road bike");
    expect(text).toContain(
      '/search?near=Paris&amp;kind=event&amp;after=2026-11-28&amp;before=2026-11-28&amp;sort=soonest">Saturday<',
    );
    // Much that is for everybody has no place, so the board's own home narrows events alone.
    expect((await getPage(board, "/")).text).toContain('name="near" value=""');
  });

  it("counts of each kind what a click on it opens", async () => {
    const { text } = await getPage(board, "/");
    expect(text).toContain('/search?sort=newest&amp;kind=offer">Offers <span class="number">1</span>');
    expect(text).not.toMatch(/aria-label="Kinds">[^\n]*Events/);
  });

  it("looks from the place in its address, and from everywhere", async () => {
    expect(titlesIn((await getPage(board, "/?near=Paris")).text, "today")).toEqual(["Opera"]);
    expect(titlesIn((await getPage(board, "/?near=everywhere")).text, "today")).toHaveLength(3);
  });

  it("says why it does not know a place, and looks from everywhere", async () => {
    const { status, text } = await getPage(board, "/?near=Xyzzyville");
    expect(status).toBe(200);
    expect(text).toContain("No town of this name is known.");
    expect(titlesIn(text, "today")).toHaveLength(3);
  });

  it("leads to each of the places that bear a name", async () => {
    const { text } = await getPage(board, "/?near=Springfield");
    expect(text).toContain("Several places bear this name:");
    expect(text.match(/<a href="\/\?near=Springfield%2C\+\w+">/g)).toHaveLength(6);
  });

  it("bears the board's own name and language, and comes as JSON and Markdown", async () => {
    const { text } = await getPage(board, "/");
    expect(text).toContain('<html lang="de">');
    expect(text).toContain("Kiez &amp; <b>Board</b>");
    expect(text).toContain('<meta property="og:site_name" content="Kiez &amp; Board">');
    expect(await problemsOf(text)).toEqual([]);
    const { data } = JSON.parse((await getPage(board, "/index.json")).text);
    expect(data.name).toBe("Kiez & Board");
    expect(data.events.weekend.map(({ title }: { title: string }) => title)).toEqual([
      "Night walk",
      "Brunch",
    ]);
    expect((await getPage(board, "/index.md")).text).toContain("## This weekend");
    expect((await getPage(board, "/feed.xml")).text).toContain("Kiez &amp; Board");
  });
});

describe("a post's page", () => {
  it("has the link as a button, the map, and day, hour and place on the card of a shared link", async () => {
    const board = await startBoard({}, { clock: () => NOW });
    const { key } = await register(board);
    const { id } = await write(board, key, {
      kind: "event",
      title: "Concert",
      starts_at: "2026-11-28T19:00:00Z",
      location: BERLIN,
      url: "https://hall.example/concert",
    });
    const { text } = await getPage(board, `/p/${id}`);
    expect(text).toMatch(
      /<a class="button" href="https:\/\/hall\.example\/concert"[^>]*>Open\u00a0<bdi>hall\.example/,
    );
    expect(text).toContain('href="https://www.openstreetmap.org/?mlat=52.52000&amp;mlon=13.40000');
    expect(text).toContain(`href="/p/${id}.ics">Add to calendar`);
    expect(text).toMatch(/og:description" content="Sat 28 Nov 2026, 20:00, Berlin\. /);
    const offer = await write(board, key, {
      kind: "offer",
      title: "Bicycle",
      body: "To sell.",
      location: { name: "Utrecht" },
    });
    const { text: card } = await getPage(board, `/p/${offer.id}`);
    expect(card).toContain('og:description" content="Offer, ≈ Utrecht. To sell."');
    expect(card).toContain('<meta name="twitter:card" content="summary">');
    expect(card).toContain(`<p class="print-only">${board.url}/p/${offer.id}</p>`);
    await board.stop();
  });
});
