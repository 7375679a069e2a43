import { beforeAll, describe, expect, it } from "vitest";
import { countOf, type Results } from "../../src/adapters/pages/search/results.ts";
import { call } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage } from "../support/texts/html.ts";

/** A Saturday. */
const NOW = Date.parse("2027-05-01T12:00:00Z");

describe("the page of a search", () => {
  it.each([
    ["1 post", 1, 0, 1],
    ["2 posts", 2, 0, 2],
    ["1–2 of 3 posts", 2, 0, 3],
    ["998–999 of 999 posts", 2, 997, 999],
    ["1–20 of 1,000+ posts", 20, 0, 1_000],
    ["2 of 1,000+ posts", 2, null, 1_000],
  ])("counts %s", (counted, length, first, total) => {
    expect(countOf({ posts: { length }, first, total } as Results)).toBe(counted);
  });

  let now = NOW;
  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board, "Loom");
  const page = async (query: string) =>
    (await getPage(board, `/search?${query}`)).text.replaceAll("&amp;", "&");
  beforeAll(async () => {
    const at = (lat: number, lng: number, fields: object) => {
      now += 1_000;
      return write(board, me.key, { kind: "offer", tags: ["map"], location: { lat, lng }, ...fields });
    };
    await at(0.1, 0, { title: "North" });
    await at(0, 0.1, { title: "East" });
    await at(-0.05, 0, { title: "South" });
    // Of two that are 26 and 28 units of the picture away from another, the nearer shares its dot.
    await at(0.1 * Math.sin(0.24), 0.1 * Math.cos(0.24), { title: "Nearly east", kind: "request" });
    await at(0.1 * Math.sin(-0.26), 0.1 * Math.cos(-0.26), { title: "South of east" });
    await writeMany(board, Array(99).fill({ kind: "offer", tags: ["many"] }));
    await write(board, me.key, { kind: "offer", tags: ["relayed"], syndicated: true });
    const { id } = await write(board, me.key, { kind: "offer", tags: ["ended"] });
    await call(board, `PATCH /posts/${id}`, { expires_at: "now" }, me);
    await write(board, me.key, {
      kind: "thread",
      tags: ["many"],
      title: "Zither",
      body: "Who plays a zither?",
    });
    await write(board, me.key, { kind: "offer", title: "Bookbinding", body: "Bookbinding for beginners." });
  });

  it("counts all that it finds, and keeps the boxes that are ticked", async () => {
    const text = await page("tags=many&include_syndicated=false&include_expired=true");
    expect(text).toContain("1–20 of 100 posts");
    const ticked = [...text.matchAll(/<input type="checkbox" name="(\w+)" value="\w+"( checked)?>/g)].map(
      ([, name, is]) => [name, is !== undefined],
    );
    expect(Object.fromEntries(ticked)).toMatchObject({
      verified: false,
      include_syndicated: true,
      include_expired: true,
    });
  });

  const optionsOf = (text: string, name: string) =>
    [
      ...(text.split(`name="${name}">`)[1]?.split("</select>")[0] ?? "").matchAll(
        /<option value="([^"]*)"( selected)?>([^<]*)</g,
      ),
    ].map(([, value, selected, label]) => `${value}|${label}${selected === undefined ? "" : "*"}`);

  it.each([
    ["", "1 5 10 25* 50 100 250 500"],
    ["10", "1 5 10* 25 50 100 250 500"],
    ["33", "1 5 10 25 33* 50 100 250 500"],
    ["0.5", "0.5* 1 5 10 25 50 100 250 500"],
  ])("offers distances, and selects the one in its address: %j", async (radius, distances) => {
    const text = await page(`near=0,0${radius && `&radius_km=${radius}`}`);
    // The usual one is left out of addresses.
    const options = distances
      .split(" ")
      .map((each) => each.replace(/^([\d.]+)(.*)/, "$1|$1 km$2").replace(/^25\|/, "|"));
    expect(optionsOf(text, "radius_km")).toEqual(options);
  });

  it("near a region looks as far as that is large, and says so", async () => {
    const [region, closer] = [await page("near=Bali"), await page("near=Bali&radius_km=5")];
    expect(region).toContain("<bdi>within 80 km of Bali</bdi>");
    expect(closer).toContain("<bdi>within 5 km of Bali</bdi>");
    expect((await getPage(board, "/search.md?near=Bali")).text).toContain(
      "island: within 80 km of its middle",
    );
    const radii = ["1", "5", "10", "25", "50", "", "100", "250", "500"];
    const optionsWith = (selected: string) =>
      radii.map((km) => `${km}|${km === "" ? "80" : km} km${km === selected ? "*" : ""}`);
    expect([region, closer].map((text) => optionsOf(text, "radius_km"))).toEqual([
      optionsWith(""),
      optionsWith("5"),
    ]);
  });

  it("fills its form from its address", async () => {
    const [typed, listed] = [
      await page("q=zither"),
      await page("sort=newest&after=2027-01-02T10:00:00Z&verified=true"),
    ];
    expect(optionsOf(typed, "sort")).toEqual(["|Best match", "newest|Newest", "soonest|Soonest"]);
    expect(optionsOf(listed, "sort")).toEqual(["|Automatic", "newest|Newest*", "soonest|Soonest"]);
    expect(listed).toContain('name="after" value="2027-01-02"');
    expect(listed).toContain('name="before" value=""');
    expect(listed).toMatch(/name="verified" value="true" checked>/);
    expect(listed).toMatch(/name="include_expired" value="true">/);
  });

  it("sends each parameter once, by its box or along with them, in each of its two forms", async () => {
    const kept = "kind=event&include_replies=true&publisher=pub_a&limit=5";
    const seen = "radius_km=10&after=2027-01-02&before=2027-02-03&tags=a,b&sort=newest&verified=true";
    const text = await page(
      `q=zither&near=0,0&${kept}&${seen}&include_syndicated=false&include_expired=true`,
    );
    const formsOf = (hidden: string) =>
      text
        .split('action="/search"')
        .slice(1)
        .map((form) =>
          [...(form.split("</form>")[0] ?? "").matchAll(/<(?:input|select)[^>]*? name="(\w+)"[^>]*>/g)]
            .filter(([tag]) => tag.includes(' type="hidden"') === (hidden === "hidden"))
            .map(([, name]) => name)
            .sort(),
        );
    const [keptNames, seenNames] = [kept, seen].map((each) => [...new URLSearchParams(each).keys()]);
    const boxes = [...(seenNames ?? []), "include_syndicated", "include_expired"];
    expect(formsOf("seen")).toEqual([["near", "q"], boxes.sort()]);
    expect(formsOf("hidden")).toEqual([
      [...(keptNames ?? []), ...boxes].sort(),
      [...(keptNames ?? []), "near", "q"].sort(),
    ]);
    expect(text).toContain('name="tags" value="a,b" placeholder');
    for (const box of ["verified", "include_syndicated", "include_expired"])
      expect(text).toMatch(new RegExp(`type="checkbox" name="${box}" value="\\w+" checked>`));
  });

  it("leads to all kinds and to each, by the words of people", async () => {
    const chips = [
      ...(await page("tags=a&kind=thread")).matchAll(
        /<a (?:class="k-\w+" )?href="([^"]*)"([^>]*)>(All|Events|Offers|Requests|News|Threads)</g,
      ),
    ];
    expect(chips.map(([, to, current, name]) => `${name} ${to}${current}`)).toEqual([
      "All /search?tags=a",
      "Events /search?tags=a&kind=event",
      "Offers /search?tags=a&kind=offer",
      "Requests /search?tags=a&kind=request",
      "News /search?tags=a&kind=announcement",
      'Threads /search?tags=a&kind=thread aria-current="true"',
    ]);
  });

  it.each([
    ["tags=map&limit=2", "1–2 of 5 posts, newest first"],
    ["tags=map&sort=soonest", "5 posts, soonest first"],
    ["q=zither&tags=many", "1 post for <mark><bdi>zither</bdi></mark>, best match by words first"],
    ["tags=nobody", "Nothing found"],
  ])("of %s says above the results: %s", async (query, heading) => {
    expect(await page(query)).toContain(`<h2>${heading}</h2>`);
  });

  it("leads back to the first page from one that has become empty, and not to wider searches", async () => {
    const posts = [1, 2].map(() => write(board, me.key, { kind: "offer", tags: ["leaving"] }));
    const ids = (await Promise.all(posts)).map(({ id }) => id as string);
    const [, next = ""] = /href="\/search\?([^"]+)">Next page/.exec(await page("tags=leaving&limit=1")) ?? [];
    for (const id of ids) await call(board, `DELETE /posts/${id}`, undefined, me);
    expect(await page(next)).toContain(
      'There are no more results. <a href="/search?tags=leaving&limit=1">Back to the first page</a>',
    );
    expect((await getPage(board, `/search.md?${next}`)).text).toMatch(/\nNo posts\.\n$/);
  });

  it("says in Markdown where it looked, what it put right, and which wider searches find how many", async () => {
    const markdown = async (query: string) => (await getPage(board, `/search.md?${query}`)).text;
    expect(await markdown("near=Berlin&tags=map")).toContain("\nNear Berlin, Germany.\n");
    expect(await markdown("near=52,13&tags=map")).not.toContain("\nNear ");
    expect(await markdown("q=xylophone&tags=relayed")).toContain("1 post fits the filters alone: the same");
    expect(await markdown("q=zithr&tags=many")).toMatch(
      /^# Search: "zither"\n[\s\S]*\nNo post has that word: "zithr" was taken for "zither"\..*\n\n[\s\S]*\n1 post, lexical\.\n/,
    );
    expect(await markdown("tags=many&kind=event")).toContain(
      `\n- Any kind: finds 100 or more, ${board.url}/search.md?tags=many\n`,
    );
  });

  it.each([
    ["near=52.5,13.4", "within 25 km of 52.5,13.4", ""],
    ["near=52.5,13.4&radius_km=5", "within 5 km of 52.5,13.4", ""],
    ["after=2027-01-01&tags=a", "from 2027-01-01", "?tags=a"],
    ["before=2027-01-01&tags=a", "before 2027-01-01", "?tags=a"],
    ["tags=a&kind=offer", "tagged a", "?kind=offer"],
    ["near=Berlin&radius_km=5&tags=a", "within 5 km of Berlin, Germany", "?tags=a"],
    ["verified=true", "verified only", ""],
    ["include_syndicated=false", "no relayed posts", ""],
    ["include_expired=true&include_replies=true", "including expired", "?include_replies=true"],
    ["include_expired=true&include_replies=true", "including replies", "?include_expired=true"],
    ["publisher=pub_a", "by pub_a", ""],
    ["thread=abc", "replies to abc", ""],
  ])("of %s names the filter “%s”, with a link that takes it off", async (query, words, rest) => {
    expect(await page(query)).toContain(`<a href="/search${rest}"><bdi>${words}</bdi> `);
  });

  it.each([
    ["", "All posts"],
    ["kind=event", "All events"],
    ["kind=event,offer", "All posts"],
    ["q=zither&kind=thread", "“zither” in threads"],
  ])("of %j is called %s", async (query, title) => {
    const text = await page(query);
    expect(text).toContain(`<title>${title} · Agent Board</title>`);
    expect(text).toContain('<meta name="robots" content="noindex">');
  });

  it("carries on no parameter that a search does not know", async () => {
    const text = await page("tags=many&utm_source=mail&limit=1");
    expect(await page("near=0,0&tags=map")).toContain(
      '<a class="k-offer" href="/search?near=0%2C0&tags=map&kind=offer">Offers</a>',
    );
    const [, next = ""] = /href="\/search\?(tags=many&limit=1&cursor=[^"]+)">Next page/.exec(text) ?? [];
    expect(text).not.toMatch(/[?&]utm_source=/);
    // Nor the page that was shown, to another search.
    const second = await page(next);
    expect(second).toContain('<input type="hidden" name="limit" value="1">');
    expect(second).not.toContain('name="cursor"');
    const { text: markdown } = await getPage(board, "/search.md?tags=&tags=many&limit=1");
    expect(markdown).toContain(`\nNext page: ${board.url}/search.md?tags=many&limit=1&cursor=`);
    expect(markdown).toMatch(
      /^# Search\n\nAs applied: `\{"tags":"many",.*"limit":1\}`\n\n1–1 of 100 posts, newest\.\n/,
    );
  });

  it("puts what only fits its filters below what it found, and never counts it as found", async () => {
    const text = await page("q=zither&tags=map&sort=newest");
    const [found = "", others = ""] = text.split("<h2>Weak: near in meaning, no match</h2>");
    expect(found).toContain("Nothing found for");
    expect(others.match(/<li class="slip"/g)).toHaveLength(5);
    const { text: markdown } = await getPage(board, "/search.md?q=zither&tags=map&sort=newest");
    expect(markdown.split("## Weak")[1]?.match(/^\d\. /gm)).toHaveLength(5);
    expect(await page("q=zither&tags=many&limit=1")).not.toContain("<h2>Weak");
  });

  it("draws where results are: how far, which way, and close ones as one dot", async () => {
    const text = await page("tags=map&near=0,0&sort=newest");
    expect(text).toContain("5 of 5 results have a place.");
    expect(
      [...text.matchAll(/class="ring" (.*?)"\/><text (.*?)<\/text>/g)].map(([, ring, label]) => [
        ring,
        label,
      ]),
    ).toEqual([
      ['cx="136" cy="136" r="35.4', 'x="139" y="111.6">1.2 km'],
      ['cx="136" cy="136" r="70.8', 'x="139" y="76.2">4.8 km'],
      ['cx="136" cy="136" r="112.0', 'x="139" y="35.0">12 km'],
    ]);
    expect(await page("tags=map")).not.toContain('class="map"');
    const dots = [
      ...text.matchAll(/aria-label="([^"]*)"><circle class="dot([^"]*)" cx="([\d.]+)" cy="([\d.]+)"/g),
    ];
    expect(dots.map(([, name, kind, x, y]) => [name, kind, Number(x), Number(y)])).toEqual([
      ["South of east", " k-offer", expect.closeTo(240, 0), expect.closeTo(163.7, 0)],
      ["2 results here, first: Nearly east", "", expect.closeTo(240.7, 0), expect.closeTo(110.4, 0)],
      ["South", " k-offer", 136, expect.closeTo(212.2, 0)],
      ["North", " k-offer", 136, expect.closeTo(28.2, 0)],
    ]);
    // A post at the very place has rings around it, too.
    expect(await page("tags=map&near=0.1,0&radius_km=1")).toMatch(
      />0\.03 km<[\s\S]*>0\.12 km<[\s\S]*>0\.3 km</,
    );
  });

  it.each([
    [
      "near=3,0&tags=map&radius_km=99",
      ["Within 500 km 5 ?near=3%2C0&tags=map&radius_km=500", "Anywhere 5 ?tags=map"],
    ],
    [
      "near=0.8,0&tags=map&radius_km=50",
      [
        "Within 100 km 5 ?near=0.8%2C0&tags=map&radius_km=100",
        "Within 500 km 5 ?near=0.8%2C0&tags=map&radius_km=500",
        "Anywhere 5 ?tags=map",
      ],
    ],
    ["near=9,0&tags=map&radius_km=500", ["Anywhere 5 ?tags=map"]],
    ["tags=many&kind=event", ["Any kind 100 or more ?tags=many"]],
    [
      "tags=many&kind=thread&q=zither+-plays+-who",
      [
        "Without quotes and exclusions 1 ?tags=many&kind=thread&q=zither",
        "Without the words 1 ?tags=many&kind=thread",
      ],
    ],
    [
      "tags=many&kind=thread&q=%22a+zither%22+%22plays+who%22",
      [
        "Without quotes and exclusions 1 ?tags=many&kind=thread&q=a+zither+plays+who",
        "Without the words 1 ?tags=many&kind=thread",
      ],
    ],
    ["tags=many&kind=thread&verified=true", ["Unverified publishers too 1 ?tags=many&kind=thread"]],
    ["tags=many&kind=thread&after=2037-01-01&before=2037-02-01", ["At any time 1 ?tags=many&kind=thread"]],
    ["tags=many&kind=thread&before=2001-01-01", ["At any time 1 ?tags=many&kind=thread"]],
    ["tags=nothing&kind=thread", ["Any tag 1 ?kind=thread"]],
    ["tags=nothing&kind=event&q=zither", ["The words alone 1 ?q=zither"]],
    ["tags=map&kind=event&q=zither&sort=newest", ["The words alone 1 ?q=zither"]],
    ["tags=many&kind=thread&publisher=pub_a", ["From any publisher 1 ?tags=many&kind=thread"]],
    [
      "tags=relayed&include_syndicated=false",
      ["Any tag 100 or more ?include_syndicated=false", "Relayed posts too 1 ?tags=relayed"],
    ],
    ["tags=ended", ["Any tag 100 or more ", "Expired posts too 1 ?tags=ended&include_expired=true"]],
  ])("that finds nothing leads to wider ones that do: %s", async (query, wider) => {
    const links = (await page(query)).matchAll(
      /<li><a href="\/search([^"]*)"><span>([^<]+)<\/span> <span class="number">([^<]+)</g,
    );
    expect([...links].map(([, path, words, count]) => `${words} ${count} ${path}`)).toEqual(wider);
  });

  it.each(["publisher=pub_gone", "thread=nobodyhas1"])(
    "of what is gone says that it may be: %s",
    async (query) => {
      expect(await page(query)).toContain("The publisher or the thread in this address may be gone.");
    },
  );

  it("names the day and the place that it read in words, each with the search without it", async () => {
    const lute = { kind: "event", title: "Lute", body: "A lute and a song." };
    for (const day of ["2027-05-02", "2027-05-08"])
      await write(board, me.key, { ...lute, starts_at: `${day}T10:00:00Z` });
    const river = { title: "Lute on the river", body: "A lute and a boat.", location: { name: "Berlin" } };
    await write(board, me.key, { ...lute, ...river, starts_at: "2027-05-02T15:00:00Z" });
    const chips = async (query: string) =>
      [
        ...((await page(query)).split('"Read in your words">')[1]?.split("</ul>")[0] ?? "").matchAll(
          /<a href="\/search([^"]*)">(.*?)( <span aria|<\/a>)/g,
        ),
      ].map(([, path, words]) => `${words} ${path}`);
    expect(await chips("q=lute+in+Berlin+tomorrow&kind=event")).toEqual([
      "<bdi>in Berlin</bdi>: Berlin, Germany ?q=lute+tomorrow&kind=event",
      "<bdi>tomorrow</bdi>: 2027-05-02 ?q=lute+in+Berlin&kind=event",
      "Show all 2 ?kind=event&q=lute",
    ]);
    expect(await chips("q=lute+next+week")).toEqual([
      "<bdi>next week</bdi>: 2027-05-03 – 2027-05-09 ?q=lute",
      "Show all 2 ?q=lute",
    ]);
    // Where nothing else is asked, all is without words.
    expect(await chips("q=tomorrow&kind=event")).toEqual([
      "<bdi>tomorrow</bdi>: 2027-05-02 ?kind=event",
      "Show all 3 ?kind=event",
    ]);
    const text = await page("q=lute+in+Berlin+tomorrow");
    expect(text).toContain("<h2>1 post for <mark><bdi>lute in Berlin tomorrow</bdi></mark>, best match");
    const filters = "near=Berlin%2C+Germany&after=2027-05-02&before=2027-05-02";
    expect(text).toContain(`href="/feed.xml?q=lute&${filters}" type="application/rss+xml"`);
    // What the chips tell needs no notice, and says nothing of parameters.
    expect(text).not.toContain('<div class="notice">');
    expect(await page("q=lute+tomorrow")).toContain(
      '<p><a href="/search?after=2027-05-02&before=2027-05-02">109 posts fit the filters alone</a></p>',
    );
  });

  it("leads on to the next page of what it read in words, which reads the same", async () => {
    const first = await page("q=lute+tomorrow&limit=1");
    expect(first).toContain("<h2>1–1 of 2 posts for <mark><bdi>lute tomorrow</bdi></mark>, ");
    const [, next = ""] = /href="\/search\?(q=lute\+tomorrow&limit=1&cursor=[^"]+)">Next/.exec(first) ?? [];
    const second = await page(next);
    expect(second).toContain("<h2>2–2 of 2 posts for <mark><bdi>lute tomorrow</bdi></mark>, ");
    expect(second).toContain("<bdi>tomorrow</bdi>: 2027-05-02 ");
    expect(second).toContain('<a class="button quiet" href="/search?q=lute+tomorrow&limit=1">First page</a>');
    expect(second).not.toContain("Next page");
  });

  it("says which words of place and time fit nothing with the rest, and leads to what fits them alone", async () => {
    const text = await page("q=zither+in+Berlin+tomorrow&kind=event,thread");
    expect(text).toContain(
      "<p>Nothing fits “<bdi>in Berlin</bdi>”, “<bdi>tomorrow</bdi>” and the rest too: shown is what comes closest.</p>",
    );
    const alone = "kind=event%2Cthread&near=Berlin%2C+Germany&after=2027-05-02&before=2027-05-02";
    expect(text).toContain(
      `<a class="button quiet" href="/search?${alone}"><span>All 1 for “<bdi>in Berlin</bdi>”, “<bdi>tomorrow</bdi>”</span></a>`,
    );
    expect(text).not.toContain('"Read in your words"');
    const nothing = await page("q=lute+tomorrow+in+Paris");
    expect(nothing).toContain("“<bdi>in Paris</bdi>”, “<bdi>tomorrow</bdi>” and the rest too");
    expect(nothing).not.toContain("<span>All ");
  });

  it("names what was wrong by the labels of its form, keeps the words, and leads back from a page that is none", async () => {
    const wrong = "kind=x&near=Xyzzy&radius_km=9000&after=never&before=never&sort=x&q=tea";
    const { status, text } = await getPage(board, `/search?${wrong}`);
    const [, notice = ""] = text.split("<b>This search did not work.</b>");
    const labels = [...(notice.split("</div>")[0] ?? "").matchAll(/<li><b>([^<]+)<\/b>: ./g)];
    expect([status, labels.map(([, label]) => label)]).toEqual([
      400,
      ["Kind", "Where", "Within", "From", "Before", "Order"],
    ]);
    expect(text).toContain('name="q" placeholder="free jazz this weekend" value="tea" maxlength="500">');
    expect(await page(`q=${"q".repeat(501)}&tags=${"t".repeat(101)}`)).toMatch(
      /<li><b>What<\/b>: [\s\S]*<li><b>Tags<\/b>: /,
    );
    expect(await page("near=France")).toContain(
      "<b>Where</b>: This country or region is too large, or there are several. Name a town.",
    );
    expect(await page("cursor=bad&tags=map")).toContain(
      '<a href="/search?tags=map">Search again from the first page.</a>',
    );
  });

  it("says how many more fit its filters alone, with a link to them", async () => {
    expect(await page("q=zither&tags=many")).toContain(
      '<a href="/search?tags=many">100 posts fit the filters alone</a>',
    );
  });

  it("of a word that was put right leads to the same search with that word in quotes", async () => {
    const text = await page("q=zithr+plays&tags=many");
    expect(text).toContain("<h2>1 post for <mark><bdi>zither plays</bdi></mark>, ");
    expect(text).not.toContain("Quoted words");
    expect(await page("q=zithr+and+bookbindng")).toContain(
      'No post has “<bdi>zithr</bdi>” or “<bdi>bookbindng</bdi>”: shown is <b><bdi>zither</bdi></b> and <b><bdi>bookbinding</bdi></b>. <a href="/search?q=%22zithr%22+and+%22bookbindng%22">Search as typed</a>',
    );
    expect(text).toContain("No post has “<bdi>zithr</bdi>”: shown is <b><bdi>zither</bdi></b>.");
    expect(text).toContain('<a href="/search?q=%22zithr%22+plays&tags=many">Search as typed</a>');
  });

  it("is watched by what it seeks, and not by its order or its page", async () => {
    const text = await page("q=zither&sort=newest&limit=5&include_syndicated=false&include_replies=true");
    const sought = "q=zither&include_replies=true&include_syndicated=false";
    const params = (path: string) =>
      [...new URLSearchParams(new RegExp(`<a href="${path}\\?([^"]*)"`).exec(text)?.[1])]
        .map((each) => each.join("="))
        .sort();
    for (const path of ["/feed.xml", "/feed.atom", "/feed.json", "/calendar.ics"])
      expect(params(path), path).toEqual(sought.split("&").sort());
    const command = (text.split('"command that saves this search"><code>')[1]?.split("</code>")[0] ?? "")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'");
    expect(command).toBe(
      `curl -X POST ${board.api}/subscriptions \\
  -H "Authorization: Bearer $BOARD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"query":{"q":"zither","include_replies":true,"include_syndicated":false}}'`,
    );
    expect(text).toContain(`<a href="webcal://${board.url.slice("http://".length)}/calendar.ics?`);
    const all = await page("sort=newest");
    expect(all).not.toContain("Or as a subscription");
    expect(all).toContain('<a href="/feed.xml">RSS</a>');
  });
});
