import { beforeAll, describe, expect, it } from "vitest";
import { register } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
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
    // Seven days, and eight.
    await event("Week of film", "2026-11-24T08:01:00Z", { ends_at: "2026-11-30T16:00:00Z" });
    await event("More film", "2026-11-24T08:02:00Z", { ends_at: "2026-12-01T16:00:00Z" });
    // Saturday in Berlin, still Friday in UTC.
    await event("Night walk", "2026-11-27T23:30:00Z");
    await event("Brunch", "2026-11-29T10:00:00Z");
    await event("Lecture", "2026-12-01T18:00:00Z");
    await event("A week ahead", "2026-12-02T18:00:00Z");
    await event("Too far ahead", "2026-12-03T08:00:00Z");
    await event("Far ahead", "2026-12-15T18:00:00Z");
    await event("Opera", "2026-11-25T19:00:00Z", { location: PARIS });
    await write(board, key, { kind: "offer", title: "Road bike" });
  });

  it("says what is on near the board's home, each event in the first span of days that fits it", async () => {
    const { text } = await getPage(board, "/");
    expect(titlesIn(text, "today")).toEqual(["Concert", "Fair", "Week of film"]);
    expect(titlesIn(text, "weekend")).toEqual(["Night walk", "Brunch"]);
    expect(titlesIn(text, "week")).toEqual(["Lecture", "A week ahead"]);
    expect(titlesIn(text, "running")).toEqual(["Exhibition", "More film"]);
    expect(text).toContain("What is on near <bdi>Berlin</bdi>");
    expect(text).toContain("Road bike");
    expect(text).not.toMatch(/far ahead/i);
    const [walk = ""] = text.split("Night walk</a>")[1]?.split("</li>") ?? [];
    expect(walk.replace(/<\/span>/g, "|").replace(/<[^>]*>/g, "")).toBe("\nSat 28 Nov, 00:30|Berlin|0.9 km|");
    expect(text).toContain("<title>Kiez &amp; Board: notices by agents, for people</title>");
    // As many as are shown are not more.
    expect(text).not.toContain(">all ");
  });

  it("keeps the place that a visitor chose in its form, its kinds and its links, and no other", async () => {
    const { text } = await getPage(board, "/?near=Paris");
    expect(text).toContain('name="near" value="Paris"');
    expect(text).toContain('<a href="/?near=everywhere">Everywhere ');
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

  it("counts days by the clocks of the place", async () => {
    // In Auckland the 26th has begun.
    const { text } = await getPage(board, "/?near=Auckland");
    const days = [...text.matchAll(/after=(2026-11-\d+)&amp;before=\1&amp;sort=soonest">(\w+)</g)];
    expect(days.map(([, day, name]) => `${name} ${day}`)).toEqual([
      ...["Today 2026-11-26", "Tomorrow 2026-11-27", "Saturday 2026-11-28", "Sunday 2026-11-29"],
    ]);
  });

  it("looks from the place in its address, and from everywhere", async () => {
    expect((await getPage(board, "/?near=everywhere")).text).toMatch(
      /<h1>What is on<\/h1>[\s\S]*name="near" value=""[\s\S]*href="\/search\?sort=newest&amp;kind=offer"/,
    );
    expect(titlesIn((await getPage(board, "/?near=Paris")).text, "today")).toEqual(["Opera"]);
    expect(titlesIn((await getPage(board, "/?near=everywhere")).text, "today")).toHaveLength(3);
  });

  it("says that nothing is on near a place, and looks further ahead there", async () => {
    const { text } = await getPage(board, "/?near=Oslo");
    expect(text).toContain(
      'No events in the next seven days near this place. <a href="/calendar?near=Oslo">Look further ahead</a>',
    );
  });

  it("leads agents to the tool server, the manual and the form for models", async () => {
    const { text } = await getPage(board, "/");
    const copied = (label: string) =>
      text.split(`aria-label="address of the ${label}"><code>`)[1]?.split("<")[0];
    expect([copied("tool server"), copied("manual")]).toEqual([`${board.url}/mcp`, `${board.url}/llms.txt`]);
    expect(text).toMatch(
      new RegExp(`"command for Claude Code"><code>claude mcp add --transport http \\S+ ${board.url}/mcp<`),
    );
    const links = [...text.matchAll(/<link rel="alternate" href="([^"]*)" type="([^"]*)"/g)];
    expect(links.map(([, to, type]) => `${to} ${type}`)).toEqual([
      ...["/index.md text/markdown", "/feed.xml application/rss+xml", "/feed.json application/feed+json"],
    ]);
    expect((await getPage(board, "/index.md")).text).toContain(
      `\n- Manual for agents: ${board.url}/llms.txt\n- MCP: ${board.url}/mcp\n- REST: ${board.url}/api/v1\n- Search: ${board.url}/search.md?q=…\n`,
    );
  });

  it("says why it does not know a place, and looks from everywhere", async () => {
    const { status, text } = await getPage(board, "/?near=Xyzzyville");
    expect(status).toBe(200);
    expect(text).toContain("No town of this name is known.");
    expect(text).toContain("<h1>What is on</h1>");
    expect(text).toContain('name="near" value=""');
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
    const { data, meta } = JSON.parse((await getPage(board, "/index.json")).text);
    expect(data).toMatchObject({
      name: "Kiez & Board",
      manual: `${board.url}/llms.txt`,
      mcp: `${board.url}/mcp`,
      api: board.api,
    });
    expect(meta.content_notice).toMatch(
      /^Titles, bodies and other texts of posts are written by third parties/,
    );
    expect(Object.keys(data.events)).toEqual(["today", "weekend", "week", "running"]);
    expect(data.events.weekend.map(({ title }: { title: string }) => title)).toEqual([
      "Night walk",
      "Brunch",
    ]);
    const titles = data.latest.map(({ title }: { title: string }) => title);
    expect([titles, data.openapi]).toEqual([["Road bike"], `${board.url}/openapi.json`]);
    expect((await getPage(board, "/index.md")).text).toContain("## This weekend");
    expect((await getPage(board, "/feed.xml")).text).toContain("Kiez &amp; Board");
  });
});

describe("the front page, of more than fits on it,", () => {
  let now = NOW;
  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board);
  const event = (title: string, starts_at: string, more: object = {}) =>
    write(board, me.key, { kind: "event", title, starts_at, location: BERLIN, ...more });
  const page = async (path = "/") => (await getPage(board, path)).text.replaceAll("&amp;", "&");
  beforeAll(async () => {
    for (let n = 1; n <= 6; n += 1) {
      if (n <= 4) {
        await event(`Today ${n}`, "2026-11-25T19:00:00Z");
        await event(`Weekend ${n}`, "2026-11-28T19:00:00Z");
        await event(`Running ${n}`, "2026-11-01T08:00:00Z", { ends_at: "2026-12-20T16:00:00Z" });
      }
      await event(`Week ${n}`, "2026-12-01T19:00:00Z");
    }
    // Each of the largest towns, with a tag of its own.
    const towns =
      "Berlin Paris Madrid Rome Vienna Prague Warsaw Lisbon London Dublin Oslo Athens Bern Riga Tokyo";
    await writeMany(
      board,
      Array.from({ length: 21 }, (_, n) => {
        const town = towns.split(" ")[n] ?? "Berlin";
        return { kind: "offer" as const, title: `Offer ${n}`, tags: [town.toLowerCase()] };
      }),
    );
    for (const name of towns.split(" ").slice(0, 9))
      await write(board, me.key, { kind: "thread", location: { name }, tags: ["town"] });
    now += 61_000;
    await page();
  });

  it.each([
    ["Today", 3, 4, "after=2026-11-25&before=2026-11-25"],
    ["This weekend", 3, 4, "after=2026-11-28&before=2026-11-29"],
    ["Next 7 days", 5, 6, "after=2026-11-25&before=2026-12-02"],
    ["Running", 3, 4, "after=2026-11-25&before=2026-11-25"],
  ])("shows under “%s” %i events, and leads to all %i", async (heading, shown, count, days) => {
    const text = await page();
    const [, id = ""] = new RegExp(`id="(\\w+)"><h2>${heading}`).exec(text) ?? [];
    expect(titlesIn(text, id)).toHaveLength(shown);
    const all = `/search?kind=event&${days}&sort=soonest`;
    expect(text.split(`id="${id}"`)[1]?.split("</h2>")[0]).toContain(
      `<a class="small" href="${all}">all ${count}</a>`,
    );
    const section = (await page("/index.md")).split("\n## ").find((each) => each.startsWith(`${heading}\n`));
    expect(section?.split("\n")).toContain(`All ${count}: ${board.url}${all}`);
    expect(section?.match(/^\d+\. /gm)).toHaveLength(shown);
  });

  it("shows the latest twenty posts of other kinds, fourteen tags and eight places", async () => {
    const text = await page();
    const cards = [...text.matchAll(/<li class="slip">[\s\S]*?<span class="kind k-(\w+)"/g)].map(
      ([, kind]) => kind,
    );
    expect(cards).toHaveLength(20);
    expect(cards).not.toContain("event");
    const chips = (path: string) =>
      (text.split(`<h2><a href="${path}">`)[1]?.split("</section>")[0] ?? "").match(/<li>/g)?.length;
    expect([chips("/tags"), chips("/places")]).toEqual([14, 8]);
    expect(text).toContain(
      '<li><a href="/search?tags=town"><bdi>town</bdi> <span class="number">9</span></a></li>\n<li><a href="/search?tags=berlin"><bdi>berlin</bdi> <span class="number">7</span></a></li>',
    );
    expect(text).toContain(
      '<li><a href="/?near=Berlin%2C+Germany"><bdi>Berlin, Germany</bdi> <span class="number">19</span></a></li>',
    );
    expect(text).toContain('<a class="button quiet" href="/search?sort=newest">All posts</a>');
    const markdown = await page("/index.md");
    expect(markdown).toMatch(/\nPopular tags: town \(9\), berlin \(7\), /);
    expect(markdown).toMatch(/\nPlaces: Berlin, Germany \(19\); /);
  });

  it("keeps how far a visitor looks, and leads everywhere again", async () => {
    const near = await page("/?near=Berlin&radius_km=5");
    expect(near).toContain('href="/search?near=Berlin&radius_km=5&sort=newest&kind=offer">');
    expect(near).toContain(
      'href="/search?near=Berlin&radius_km=5&kind=event&after=2026-11-28&before=2026-11-28&sort=soonest">Saturday<',
    );
    expect(near).toContain('href="/search?near=Berlin&radius_km=5&sort=newest">All posts');
    expect(near).toContain('<a href="/">Everywhere ');
    expect(near).toContain('<input type="hidden" name="radius_km" value="5">');
    expect(near).toContain(
      'Today <a class="small" href="/search?near=Berlin&radius_km=5&kind=event&after=2026-11-25&before=2026-11-25&sort=soonest">all 4</a>',
    );
    expect(await page()).not.toContain(">Everywhere ");
  });

  it.each([
    ["Wednesday", 25, ["Today 25", "Tomorrow 26", "Saturday 28", "Sunday 29"], ["today", "weekend", "week"]],
    ["Friday", 27, ["Today 27", "Saturday 28", "Sunday 29"], ["weekend", "week"]],
    ["Saturday", 28, ["Today 28", "Sunday 29"], ["today", "week"]],
    ["Sunday", 29, ["Today 29", "Tomorrow 30", "Saturday 5"], ["week"]],
  ])("on a %s names these days", async (_day, date, days, groups) => {
    now = Date.UTC(2026, 10, date, 8);
    const text = await page();
    const chips = [...text.matchAll(/after=2026-\d+-0?(\d+)&before=[^"]*">(\w+)<\/a><\/li>/g)];
    expect(chips.map(([, day, name]) => `${name} ${day}`)).toEqual(days);
    expect(
      [...text.matchAll(/class="on" id="(\w+)"/g)].map(([, id]) => id).filter((id) => id !== "running"),
    ).toEqual(groups);
    now = NOW + 61_000;
  });

  it("finds what begins today behind two hundred exhibitions", async () => {
    const exhibition = {
      kind: "event" as const,
      starts_at: NOW - 30 * 86_400_000,
      ends_at: NOW + 30 * 86_400_000,
    };
    await writeMany(board, Array(201).fill(exhibition));
    expect(titlesIn(await page(), "today")).toHaveLength(3);
  });
});
