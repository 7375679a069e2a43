import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../support/boards/client.ts";
import { writeMany } from "../../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { getPage, problemsOf } from "../../support/texts/html.ts";

const NOW = Date.parse("2026-12-03T12:00:00Z");
const EXPIRES = "2027-11-01T00:00:00Z";
const FIREWORKS = "F".repeat(121);
const CAMP = `Holiday ${"camp".repeat(28)}`;

/** The titles below the heading of a day. */
function titlesOn(text: string, day: string): string[] {
  const [section = ""] = text.split(`id="day-${day}"`)[1]?.split("</section>") ?? [];
  return [...section.matchAll(/<bdi>([^<]*)<\/bdi><\/a>/g)].map(([, title]) => String(title));
}

/** The words of the cells of the table, week by week, and what leads to the other months. */
const weeksOf = (text: string) =>
  [...text.matchAll(/<tr><t[dh][\s\S]*?<\/tr>/g)].map(([week]) =>
    week
      .replace(/<\/t[dh]>/g, "|")
      .replace(/<[^>]*>/g, "")
      .trim(),
  );
const linksOf = (text: string) =>
  [
    ...(text.split('aria-label="Months">')[1]?.split("</nav>")[0] ?? "").matchAll(
      /href="([^"]*)">(.*?)<\/a>/g,
    ),
  ].map(([, to, words]) => `${words?.replace(/<[^>]*>/g, "")} ${to?.replaceAll("&amp;", "&")}`);

describe("the calendar", () => {
  const board = useTestBoard({}, { clock: () => NOW });
  const me = usePublisher(board);
  beforeAll(async () => {
    const event = (title: string, starts_at: string, more: Record<string, unknown> = {}) =>
      write(board, me.key, {
        kind: "event",
        title,
        starts_at,
        expires_at: EXPIRES,
        tags: ["music"],
        ...more,
      });
    await event("Carols", "2026-12-05T18:00:00+01:00", { timezone: "Europe/Berlin" });
    await event("Breakfast", "2026-12-03T08:00:00Z");
    await event("Advent fair", "2026-12-01T08:00:00Z");
    await event("Late show", "2026-12-31T23:30:00-08:00", {
      timezone: "America/Los_Angeles",
      metadata: { status: "tentative" },
    });
    await event("First swim", "2027-01-01T00:30:00+14:00", { timezone: "Pacific/Kiritimati" });
    await event("Long exhibition", "2026-11-20T09:00:00Z", { ends_at: "2026-12-20T17:00:00Z" });
    await event(CAMP, "2027-01-10T09:00:00Z", { ends_at: "2027-01-12T17:00:00Z", tags: ["camp"] });
    await event("Choir <b>practice</b>", "2026-12-05T20:00:00+01:00", {
      timezone: "Europe/Berlin",
      tags: ["node.js"],
      location: { name: "Mitte", lat: 52.52, lng: 13.4 },
    });
    await event(FIREWORKS, "2026-12-31T23:00:00Z");
    const { id } = await event("Cut short", "2026-12-03T09:00:00Z");
    await call(board, `PATCH /posts/${id}`, { expires_at: "now" }, me);
    await event("Night shift", "2027-03-05T19:00:00+01:00", { timezone: "Europe/Berlin" });
    await event("Whole day", "2027-03-06", { timezone: "America/New_York" });
    await write(board, me.key, { kind: "offer", title: "Not an event" });
  });
  const month = (name: string, more = "") => getPage(board, `/calendar?month=${name}${more}`);

  it("begins today, and lists on each day of their own time zones what begins and what goes on", async () => {
    const { text } = await month("2026-12");
    expect(titlesOn(text, "2026-12-05")).toEqual([
      "Carols",
      "Choir &lt;b&gt;practice&lt;/b&gt;",
      "Long exhibition",
    ]);
    expect(titlesOn(text, "2026-12-12")).toEqual(["Long exhibition"]);
    expect(titlesOn(text, "2026-12-20")).toEqual(["Long exhibition"]);
    expect(titlesOn(text, "2026-12-21")).toEqual([]);
    const { text: january } = await month("2027-01");
    const holiday = ["09", "10", "11", "12", "13"].map((day) => titlesOn(january, `2027-01-${day}`));
    expect(holiday).toEqual([[], [CAMP], [CAMP], [CAMP], []]);
    expect(text).not.toContain("Advent fair");
    // A title of 120 characters is whole; this one has one more.
    expect(titlesOn(text, "2026-12-31")).toEqual([`${"F".repeat(119)}…`, "Late show"]);
    expect(titlesOn(text, "2026-12-03")).toContain("Cut short");
    expect(text).not.toContain("First swim");
    expect(text).not.toContain("Not an event");
    expect(titlesOn((await month("2027-01")).text, "2027-01-01")).toEqual(["First swim"]);
  });

  it("counts them in a table that links to the days, and marks what is over and today", async () => {
    const { text } = await month("2026-12");
    expect(text).toContain(
      '<a href="#day-2026-12-05" aria-label="Saturday 5 December, 3 events">5 <span class="number">3</span>',
    );
    expect(text).toContain('<td aria-current="date"><a href="#day-2026-12-03" ');
    expect(
      text.match(/<span class="warning">tentative<\/span> <span class="hours">[^\n]*Late show/g),
    ).toHaveLength(1);
    const [breakfast = ""] = text.split("Breakfast")[1]?.split("</li>") ?? [];
    expect(breakfast).toContain(">over<");
    expect(text).toContain('aria-label="Thursday 31 December, 2 events"');
    expect(text).toContain('aria-label="Saturday 12 December, 1 event"');
    // December 2026 begins on a Tuesday.
    expect(text).toMatch(/<tbody><tr><td><\/td><td>1<\/td>/);
  });

  it("begins with this week by default, leads to the months around it, and ends somewhere", async () => {
    const { text } = await getPage(board, "/calendar");
    // The third of December is a Thursday; five weeks are shown.
    expect(text).toMatch(
      /<tbody><tr><td><span>30 Nov<\/span><\/td><td><span>1 Dec<\/span><\/td><td>2<\/td><td aria-current/,
    );
    expect(weeksOf(text)).toEqual([
      "Mon|Tue|Wed|Thu|Fri|Sat|Sun|",
      "30 Nov|1 Dec|2|3 3|4 1|5 3|6 1|",
      "7 1|8 1|9 1|10 1|11 1|12 1|13 1|",
      "14 1|15 1|16 1|17 1|18 1|19 1|20 1|",
      "21|22|23|24|25|26|27|",
      "28|29|30|31 2|1 Jan 1|2|3|",
    ]);
    expect(linksOf(text)).toEqual([
      "←\u00a0Dec 2026 /calendar?month=2026-12",
      "Jan 2027\u00a0→ /calendar?month=2027-01",
    ]);
    expect(text).toMatch(/ rel="prev" href="\/calendar\?month=2026-12"[\s\S]* rel="next" href=/);
    expect(titlesOn(text, "2027-01-01")).toEqual(["First swim"]);
    expect(text).not.toContain("Holiday");
    expect(text).not.toContain("Advent fair");
    const { text: january } = await month("2027-01");
    expect(linksOf(january)).toEqual([
      "←\u00a0Dec 2026 /calendar?month=2026-12",
      "This week /calendar",
      "Feb 2027\u00a0→ /calendar?month=2027-02",
    ]);
    // January 2027 begins on a Friday.
    expect(weeksOf(january).slice(1)).toEqual([
      ...["||||1 1|2|3|", "4|5|6|7|8|9|10 1|", "11 1|12 1|13|14|15|16|17|"],
      ...["18|19|20|21|22|23|24|", "25|26|27|28|29|30|31|"],
    ]);
    expect(weeksOf((await month("2026-11")).text).at(-1)).toBe("30 1|||||||");
    // A year back and three ahead.
    for (const [name, leads] of [
      ["2025-11", [false, true]],
      ["2025-12", [false, true]],
      ["2026-01", [true, true]],
      ["2029-11", [true, true]],
      ["2029-12", [true, false]],
    ] as const) {
      const at = (await month(name)).text;
      expect([at.includes('rel="prev"'), at.includes('rel="next"')], name).toEqual(leads);
    }
  });

  it("names eight of a day that are on, at most five of them from before, and leads to the others", async () => {
    const two = { starts_at: Date.parse("2027-04-10T09:00Z"), ends_at: Date.parse("2027-04-11T17:00Z") };
    const one = { starts_at: Date.parse("2027-04-20T09:00Z") };
    await writeMany(board, [
      ...Array(9).fill({ kind: "event", tags: ["nine"], ...two }),
      ...Array(8).fill({ kind: "event", tags: ["eight"], ...one }),
      ...Array(5).fill({ kind: "event", tags: ["five"], ...two }),
    ]);
    const told = async (tag: string, day: string) => {
      const { text } = await month("2027-04", `&tags=${tag}`);
      const section = text.split(`id="day-2027-04-${day}"`)[1]?.split("</section>")[0] ?? "";
      const [, to, words] = /<li class="small"><a href="([^"]*)">([^<]*)<\/a><\/li>/.exec(section) ?? [];
      return [section.split("<li>").length - 1, words, to?.replaceAll("&amp;", "&")];
    };
    const all = (day: string) =>
      `/search?tags=nine&kind=event&after=2027-04-${day}&before=2027-04-${day}&sort=soonest`;
    expect([await told("nine", "10"), await told("nine", "11")]).toEqual([
      [8, "and 1 more", all("10")],
      [5, "and 4 more that go on", all("11")],
    ]);
    expect([await told("eight", "20"), await told("five", "11")]).toEqual([
      [8, undefined, undefined],
      [5, undefined, undefined],
    ]);
  });

  it("names the zone of hours where there are several, and the place on top", async () => {
    const { text } = await month("2026-12");
    expect(text).toMatch(/<time[^>]*>18:00<\/time><\/span> <span>Berlin time<\/span> <a[^>]*><bdi>Carols/);
    expect(text).toMatch(/<time[^>]*>23:30<\/time><\/span> <span>Los Angeles time/);
    expect((await month("2027-01")).text).toContain("Kiritimati time");
    // UTC stands beside the hour already, and a whole day has no hours.
    expect(text).toMatch(/>08:00<\/time> UTC<\/span> <a[^>]*><bdi>Breakfast/);
    expect((await month("2027-03")).text).toMatch(/>19:00<\/time><\/span> <a[^>]*><bdi>Night shift/);
    expect(text).toMatch(
      /\n<li> <span class="hours"><time datetime="2026-12-05T19:00:00.000Z">20:00<\/time><\/span> <span>Berlin time<\/span> <a href="\/p\/\w+"><bdi>Choir [^<]*<\/bdi><\/a> <span><bdi>Mitte<\/bdi><\/span><\/li>/,
    );
    expect(text).toMatch(/<h2>Sat 5 Dec 2026<\/h2><ul class="agenda">\n<li>[^\n]*Carols/);
    const near = (await month("2026-12", "&near=Berlin")).text;
    expect(near).toContain("<h1>Events near <bdi>Berlin</bdi> in <span>December 2026</span></h1>");
    expect(near).not.toContain("Berlin time");
    expect(near).toMatch(/<h1>[\s\S]*name="near" value="Berlin"[\s\S]*<table class="month">/);
    expect(near).toContain('<a class="button quiet" href="/calendar?near=Berlin">This week</a>');
  });

  it.each(["", "?near=Berlin", "?month=2026-12", "?tags=music,camp"])(
    "%s is what a calendar subscribes to",
    async (query) => {
      const { text } = await getPage(board, `/calendar${query}`);
      const json = await getPage(board, `/calendar.json${query}`);
      const { data } = JSON.parse(json.text) as { data: { to: string; events: { id: string }[] } };
      const [, to = ""] = /href="webcal:\/\/[^/]+([^"]+)"/.exec(text) ?? [];
      const subscribed = (await getPage(board, to.replaceAll("&amp;", "&"))).text;
      const entries = subscribed.split("BEGIN:VEVENT").slice(1);
      const shown = data.events.map(({ id }) => id);
      const has = (entry: string) => shown.some((id) => entry.includes(`/p/${id}`));
      expect(shown.filter((id) => !subscribed.includes(`/p/${id}`))).toEqual([]);
      // What else it has lies before today, or behind the days shown.
      for (const entry of entries.filter((each) => !has(each))) {
        const [, day = ""] = /DTSTART[^:]*:(\d{8})/.exec(entry) ?? [];
        expect(day <= "20261203" || day >= data.to.replaceAll("-", ""), entry).toBe(true);
      }
      expect(entries.every((entry) => entry.includes("CATEGORIES:event"))).toBe(true);
      expect(shown.length).toBeGreaterThan(0);
    },
  );

  it("is called by its month, and leads to its other forms and to a file of the days that it shows", async () => {
    const text = async (query: string) =>
      (await getPage(board, `/calendar${query}`)).text.replaceAll("&amp;", "&");
    const [weeks, december, near] = [
      await text(""),
      await text("?month=2026-12"),
      await text("?near=Berlin"),
    ];
    for (const [page, title, heading, description, path] of [
      [weeks, "Calendar", "Events", "from this week on", "/calendar"],
      [near, "Calendar", "Events near <bdi>Berlin</bdi>", "from this week on", "/calendar"],
      [
        december,
        "Events in 2026-12",
        "Events in <span>December 2026</span>",
        "for 2026-12",
        "/calendar?month=2026-12",
      ],
    ] as const) {
      expect(page).toContain(`<title>${title} · Agent Board</title>`);
      expect(page).toContain(`<h1>${heading}</h1>`);
      expect(page).toContain(
        `name="description" content="What agents have posted ${description}, day by day."`,
      );
      expect(page).toContain(`<link rel="canonical" href="${board.url}${path}">`);
    }
    expect(weeks).toContain('href="/calendar.md" type="text/markdown"');
    expect(december).toContain('href="/calendar.md?month=2026-12" type="text/markdown"');
    const subscribed = await text("?month=2026-12&near=Berlin&radius_km=9&tags=music");
    for (const [page, kept] of [
      [weeks, ""],
      [near, "near=Berlin&"],
      [subscribed, "near=Berlin&radius_km=9&tags=music&"],
    ]) {
      expect(page).toContain(`href="/calendar.ics?${kept}kind=event" type="text/calendar"`);
      expect(page).toContain(
        `<a href="webcal://${board.url.slice("http://".length)}/calendar.ics?${kept}kind=event">Subscribe`,
      );
    }
    for (const [page, query] of [
      [weeks, "kind=event&after=2026-12-03&before=2027-01-03"],
      [december, "kind=event&after=2026-12-03&before=2026-12-31"],
      [near, "near=Berlin&kind=event&after=2026-12-03&before=2027-01-03"],
    ] as const) {
      expect(page).toContain(`<a href="/calendar.ics?${query}&sort=soonest">Calendar file</a>`);
      expect(page).toContain(`<a href="/search?${query}&sort=soonest">As a search</a>`);
      expect(page.includes("events to come near this place in")).toBe(page === near);
    }
    expect(await text("?month=2027-06&near=Berlin")).toContain(
      '<a href="/search?near=Berlin&kind=event&sort=soonest">See all events to come</a>',
    );
    expect((await getPage(board, "/calendar.md")).text).toContain(
      `# Events from 2026-12-03 to 2027-01-03\n\n- ${board.url}/calendar.md?month=2026-12\n- ${board.url}/calendar.md?month=2027-01\n\n`,
    );
  });

  it("leads to each of the places that bear a name", async () => {
    const { status, text } = await getPage(board, "/calendar?near=Springfield&tags=music&month=2027-01");
    expect(status).toBe(400);
    // Another place is looked for in the same month.
    expect(text).toMatch(/name="month" value="2027-01"[\s\S]*name="tags" value="music"[\s\S]*name="near"/);
    const links = [
      ...text.matchAll(/href="\/calendar\?near=Springfield%2C\+\w+&amp;tags=music&amp;month=2027-01"/g),
    ];
    expect(links).toHaveLength(6);
    expect(text).not.toContain("<code>near</code>");
    expect(await problemsOf(text)).toEqual([]);
  });

  it("says that a month is empty, and keeps search engines away from it", async () => {
    const { status, text } = await month("2027-06");
    expect(status).toBe(200);
    expect(text).toContain("Nobody has posted an event for these days yet.");
    expect(text).toContain('<meta name="robots" content="noindex">');
    for (const [query, isKept] of [
      ["", true],
      ["?month=2026-12", true],
      ["?near=Berlin", false],
      ["?month=2026-12&tags=music", false],
    ] as const)
      expect(!(await getPage(board, `/calendar${query}`)).text.includes("noindex"), query).toBe(isKept);
  });

  it("takes a place, how far to look and tags, and keeps them on the way to other months", async () => {
    const titles = async (km: number) => {
      const { text } = await month("2026-12", `&near=52.6,13.4&radius_km=${km}`);
      expect(text).toContain(`/calendar?month=2027-01&amp;near=52.6%2C13.4&amp;radius_km=${km}"`);
      return titlesOn(text, "2026-12-05");
    };
    expect([await titles(8), await titles(9)]).toEqual([[], ["Choir &lt;b&gt;practice&lt;/b&gt;"]]);
    const { text } = await month("2026-12", "&near=Berlin&tags=node.js");
    expect([text.includes("Choir"), text.includes("Carols")]).toEqual([true, false]);
    expect(text).toContain('href="/calendar?month=2027-01&amp;near=Berlin&amp;tags=node.js"');
    const [form = ""] = text.split('action="/calendar"')[1]?.split("</form>") ?? [];
    for (const kept of ['name="month" value="2026-12"', 'name="tags" value="node.js"'])
      expect(form).toContain(`<input type="hidden" ${kept}>`);
  });

  it.each(["2026-13", "December", "2026-1", "0000-01", "1969-12", "3000-01"])(
    "fails with invalid_request for %j",
    async (name) => {
      const { status, text } = await month(name);
      expect(status).toBe(400);
      expect(text).toContain("<code>2026-12</code>");
      expect(text).not.toContain('name="month"');
      expect(text).toContain('<a href="/calendar">From this week on</a>');
      expect((await getPage(board, `/calendar.json?month=${name}`)).status).toBe(400);
      for (const kept of ["1970-01", "2999-12"]) expect((await month(kept)).status).toBe(200);
    },
  );

  it("comes as Markdown and JSON, and is valid HTML", async () => {
    const json = await getPage(board, "/calendar.json?month=2026-12");
    const { data } = JSON.parse(json.text) as { data: { month: string; events: { title: string }[] } };
    for (const [query, month, from, to] of [
      ["?month=2026-11", "2026-11", "2026-11-01", "2026-11-30"],
      ["?month=2026-12", "2026-12", "2026-12-03", "2026-12-31"],
      ["?month=2027-01", "2027-01", "2027-01-01", "2027-01-31"],
      ["", null, "2026-12-03", "2027-01-03"],
    ])
      expect(JSON.parse((await getPage(board, `/calendar.json${query}`)).text).data).toMatchObject({
        month,
        from,
        to,
      });
    expect(data.events.map(({ title }) => title)).toHaveLength(7);
    expect(data.month).toBe("2026-12");
    const { text: markdown } = await getPage(board, "/calendar.md?month=2026-12");
    expect(markdown).toMatch(
      new RegExp(
        `^# Events in 2026-12\n\n- ${board.url}/calendar.md\\?month=2026-11\n- ${board.url}/calendar.md\\?month=2027-01\n\n`,
      ),
    );
    expect(markdown.match(/^\d\. `\w+` event "/gm)).toHaveLength(7);
    expect(markdown).not.toContain("\nAll: ");
    for (const name of ["2026-12", "2027-06"]) {
      expect(await problemsOf((await month(name)).text)).toEqual([]);
    }
    expect(await problemsOf((await getPage(board, "/calendar")).text)).toEqual([]);
  });
});
