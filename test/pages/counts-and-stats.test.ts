import { beforeAll, describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage, problemsOf } from "../support/texts/html.ts";

describe("the page of places", () => {
  let now = Date.now();
  const board = useTestBoard({}, { clock: () => now });
  let empty: string;
  let untagged: string;
  beforeAll(async () => {
    [empty, untagged] = [(await getPage(board, "/places")).text, (await getPage(board, "/tags.md")).text];
    expect((await getPage(board, "/")).text).not.toMatch(
      /<a href="\/(tags|places)">(Popular|Places<\/a><\/h2>)/,
    );
    const { key } = await register(board);
    await write(board, key, { location: { name: "Kreuzberg", lat: 52.5, lng: 13.4 } });
    await write(board, key, { location: { name: "Berlin" } });
    await write(board, key, { location: { name: "<b>Stage</b>", lat: 45.52, lng: -122.68 } });
    // Counts may be a minute old, and older where counting takes long.
    const later = () => {
      now += 61_000;
      return getPage(board, "/places");
    };
    await eventually(later, ({ text }) => text.includes("Portland"));
  });

  it("names the towns with the most posts, each leading to a search that finds them", async () => {
    const { text } = await getPage(board, "/places");
    expect(text).toContain("<title>Places · Agent Board</title>");
    expect(text).toContain(
      '<h1>Places</h1>\n<p class="lead">Where posts are, the towns with the most first. Each post counts for the largest town within 20 km.</p>',
    );
    expect(await problemsOf(text)).toEqual([]);
    const chips = [
      ...text.matchAll(
        /<li><a href="([^"]*near=[^"]*)">(?:<bdi>)?([^<]*)(?:<\/bdi>)? <span class="number">(\d+)</g,
      ),
    ];
    expect(chips.map(([, , place, count]) => [place, count])).toEqual([
      ["Berlin, Germany", "2"],
      ["Portland, Oregon", "1"],
    ]);
    for (const [, path = "", , count] of chips) {
      const { data } = JSON.parse((await getPage(board, path.replace("/search", "/search.json"))).text);
      expect(data).toHaveLength(Number(count));
    }
    expect((await getPage(board, "/")).text).toContain('<li><a href="/?near=Berlin%2C+Germany">');
  });

  it("leads to searches that say where they look, and which other places have the name", async () => {
    const search = async (near: string) =>
      (await getPage(board, `/search?near=${encodeURIComponent(near)}`)).text;
    for (const near of ["Berlin, Germany", "Berlin"]) {
      expect(await search(near)).toContain("within 25 km of Berlin, Germany");
      expect(await search(near)).not.toContain("Another place");
    }
    expect(await search("Portland, Oregon")).not.toContain("Another place");
    expect(await search("Portland")).toMatch(
      /within 25 km of Portland, Oregon.*\n.*<p>Another place of this name\? <a href="\/search\?near=Portland%2C\+Maine">/s,
    );
  });

  it("leads to each of several places that bear a name, and to those that were meant perhaps", async () => {
    const linksIn = async (near: string) => {
      const { status, text } = await getPage(board, `/search?q=market&near=${near}`);
      const [, notice = ""] = text.split('<div class="notice">');
      const links = [
        ...(notice.split("</div>")[0] ?? "").matchAll(/href="\/search\?q=market&amp;near=([^"]+)"/g),
      ];
      return {
        status,
        notice,
        places: links.map(([, place = ""]) => decodeURIComponent(place.replaceAll("+", " "))),
      };
    };
    const several = await linksIn("Springfield");
    expect(several.status).toBe(400);
    expect(several.places).toHaveLength(6);
    expect(several.places).toContain("Springfield, Missouri");
    expect(several.notice).not.toContain("Did you mean");
    const misspelt = await linksIn("Berlinn");
    expect(misspelt.notice).toContain("<b>Where</b>: No town of this name is known. Did you mean");
    expect(misspelt.places).toContain("Berlin, Germany");
  });

  it("suggests places to who types one, each as its box takes it", async () => {
    const suggested = async (begun: string) =>
      JSON.parse((await getPage(board, `/places?q=${encodeURIComponent(begun)}`)).text).places;
    expect(await suggested(" Zutph")).toEqual([
      {
        label: "Zutphen, Netherlands",
        country: "NL",
        lat: expect.closeTo(52.14, 1),
        lng: expect.closeTo(6.2, 1),
      },
    ]);
    expect(await suggested("u".repeat(100))).toEqual([]);
    expect((await getPage(board, `/places?q=${"u".repeat(101)}`)).status).toBe(400);
  });

  it("takes any other place", async () => {
    expect(empty).toContain("No post has a place yet.");
    expect(untagged).toBe("# Tags\n\nNo post has a tag yet.\n");
    expect(empty).toMatch(/<form class="fields" action="\/search"[\s\S]*name="near"[^>]*list="places"/);
    expect(await problemsOf(empty)).toEqual([]);
  });

  it("comes as Markdown and JSON, and stands in the sitemap and on each page", async () => {
    const { data } = JSON.parse((await getPage(board, "/places.json")).text);
    expect(data.places[0]).toEqual({ place: "Berlin, Germany", count: 2 });
    expect((await getPage(board, "/places", { accept: "text/markdown" })).text).toBe(
      `# Places\n\n- "Berlin, Germany": 2, ${board.url}/search?near=Berlin%2C+Germany\n- "Portland, Oregon": 1, ${board.url}/search?near=Portland%2C+Oregon\n`,
    );
    expect((await getPage(board, "/sitemap.xml")).text).toContain("/places</loc>");
    expect((await getPage(board, "/stats")).text).toContain('<a href="/places">Places</a>');
  });
});

describe("the page of tags", () => {
  const board = useTestBoard();
  beforeAll(async () => {
    const { key } = await register(board);
    await write(board, key, { title: "A fugue", tags: ["music", "node.js"] });
    await write(board, key, { title: "A canon", tags: ["music"] });
    await write(board, key, { title: "Scripts", tags: ["<script>alert(1)</script>"] });
  });

  it("name the most frequent ones with their counts, each with a search that finds its posts", async () => {
    const { text } = await getPage(board, "/tags");
    expect(text).toContain("<title>Tags · Agent Board</title>");
    expect(text).toContain(
      '<h1>Tags</h1>\n<p class="lead">The words by which posts are filed, the most frequent first.</p>\n<ul class="chips"><li><a href="/search?tags=music"><bdi>music</bdi> <span class="number">2</span></a></li>\n',
    );
    expect(text).toMatch(
      /Another word\? Search for it:<\/p>\n<search><form class="search" action="\/search"/,
    );
    expect(text).toContain('<link rel="alternate" href="/tags.md" type="text/markdown"');
    expect(text).toContain('<link rel="alternate" href="/tags.json" type="application/json"');
    expect(text).not.toContain("<script>alert");
    expect(await problemsOf(text)).toEqual([]);
    for (const [, path = ""] of text.matchAll(/href="(\/search\?tags=[^"]+)"/g)) {
      const found = await getPage(board, `${path.replaceAll("&amp;", "&")}&sort=newest`);
      expect(found.text).toMatch(/<h3[^>]*><a/);
      expect(found.text).not.toContain("<script>alert");
    }
  });

  it("come as Markdown and JSON", async () => {
    const json = await getPage(board, "/tags.json");
    expect(JSON.parse(json.text).data.tags[0]).toEqual({ tag: "music", count: 2 });
    expect((await getPage(board, "/tags.md")).text).toContain(
      `# Tags\n\n- music: 2, ${board.url}/search?tags=music\n- `,
    );
  });
});

describe("the page of statistics", () => {
  let now = Date.parse("2026-11-20T12:00:00Z");
  const board = useTestBoard({ TRUST_PROXY: "1" }, { clock: () => now });
  let fresh: string;
  beforeAll(async () => {
    now -= 40 * 86_400_000;
    await register(board, "Quiet for forty days");
    now += 40 * 86_400_000;
    fresh = (await getPage(board, "/stats")).text;
    const { key } = await register(board);
    for (const [kind, posts] of [
      ["offer", 2],
      ["thread", 5],
    ] as const)
      for (let n = 0; n < posts; n += 1) await write(board, key, { kind });
    now += 86_400_000;
    for (let n = 0; n < 3; n += 1) await write(board, key, { kind: "event" });
    // Each from another address: what three look for in a day is named.
    for (let n = 1; n <= 3; n += 1)
      for (const query of ["q=zeppelin", "near=Reykjavik"])
        await getPage(board, `/search?${query}`, { "x-forwarded-for": `203.0.113.${n}` });
    await board.flush();
    const day = "2026-11-21";
    const programs = Array.from({ length: 11 }, (_, n) => ({ day, name: `client:program-${n}`, n: n + 1 }));
    const { statistics } = board.board.store;
    await statistics.add([...programs, { day, name: "route:x", n: 1_000 }, { day, name: "error:x", n: 20 }]);
    const { requests_7d: requests } = (await call(board, "GET /metrics")).body.data.health;
    // That call is counted too, once it is answered.
    await board.flush();
    await statistics.add([{ day, name: "route:x", n: 1_600 - requests - 1 }]);
    await statistics.add(["kind:request", "tag:loom"].map((of) => ({ day, name: `unmet:${of}`, n: 2 })));
    const tools = { search: 3, get_post: 12 };
    await statistics.add(Object.entries(tools).map(([tool, n]) => ({ day, name: `tool:${tool}`, n })));
    await statistics.add([
      ...["2026-11-05", "2026-11-06"].map((each) => ({ day: each, name: "searches", n: 1_306 })),
      { day: "2026-11-20", name: "searches", n: 6 },
      { day, name: "deliveries", n: 2 },
      { day, name: "delivery_failures", n: 1 },
    ]);
    now += 61_000;
  });

  it("counts by day, the newest first in its table, and names the day with the most", async () => {
    const { text } = await getPage(board, "/stats");
    expect(await problemsOf(text)).toEqual([]);
    const [, posts = ""] = text.split('<h2 id="posts">');
    expect(posts).toContain('<desc id="posts-desc">10 posts in all; most on 2026-11-20: 7.</desc>');
    // Of days with as many the first is named.
    expect(text).toContain("2,624 searches in all; most on 2026-11-05: 1,306.");
    expect(text).toContain("<span>1,400</span><span>700</span><span>0</span>");
    expect(text).toContain("<figcaption>2,624 searches in 30 days.</figcaption>");
    expect(text).toContain('<title id="posts-title">Posts, last 30 days</title>');
    expect(posts).toMatch(/<span>8<\/span><span>4<\/span><span>0<\/span>/);
    // A bar for each day that counts something.
    expect(/class="bar" d="([^"]*)"/.exec(posts)?.[1]).toBe(
      "M562.0 160v-140.0h16.0V160ZM582.0 160v-60.0h16.0V160Z",
    );
    const rows = [
      ...(posts
        .split("</table>")[0]
        ?.matchAll(/<time datetime="([\d-]+)">[^<]*<\/time><\/td><td class="number">(\d+)</g) ?? []),
    ];
    expect(rows.slice(0, 3).map(([, day, count]) => [day, count])).toEqual([
      ["2026-11-21", "3"],
      ["2026-11-20", "7"],
      ["2026-11-19", "0"],
    ]);
    expect(rows).toHaveLength(30);
    expect(text).toContain("<figcaption>1 new publisher in 30 days.</figcaption>");
    expect(text).toContain("1,600 calls in 7 days, 1.3 % of them failed through a fault of the board.");
    expect(text).toContain("66.7 % of all attempts to reach a webhook succeeded.");
    const programs = text.split("<h2>Programs that called tools, 30 days</h2>")[1]?.split("</table>")[0];
    expect(
      [...(programs ?? "").matchAll(/<th scope="row">program-(\d+)</g)].map(([, n]) => Number(n)),
    ).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const figures = [...text.matchAll(/<dt>([^<]+)<\/dt><dd class="number">([^<]+)</g)].map(
      ([, label, value]) => `${label}: ${value}`,
    );
    expect(figures).toEqual([
      "Active posts: 10",
      "Posted today: 3",
      "Publishers: 2",
      "Wrote this week: 1",
      "Searched this week: ≈ 3",
      // Twelve in seven days.
      "Searches a day: 1.7",
    ]);
    expect(posts).toContain(
      '<div class="days" aria-hidden="true"><span>23 Oct</span><span>7 Nov</span><span>21 Nov</span></div>',
    );
    for (const head of ["Posts", "Searches", "New publishers"]) expect(text).toContain(`>${head}</th>`);
    const counts = (heading: string) =>
      [
        ...(text.split(`<h2>${heading}</h2>`)[1]?.split("</table>")[0] ?? "").matchAll(
          /<th scope="row">(\w+)<\/th><td class="number">(\d+)</g,
        ),
      ].map(([, name, count]) => `${name} ${count}`);
    expect(counts("Kinds").slice(0, 3)).toEqual(["thread 5", "event 3", "offer 2"]);
    expect(counts("Calls by tool, 7 days")).toEqual(["get_post 12", "search 3"]);
  });

  it("names what was looked for in vain, with a search for it", async () => {
    const { text } = await getPage(board, "/stats");
    expect(text).toContain("6 searches found nothing.");
    expect(text).not.toContain("A word appears here");
    expect(fresh).toContain("0 searches found nothing. A word appears here once three callers");
    expect(fresh).not.toContain("to reach a webhook");
    expect(text).toMatch(/<a href="\/search\?q=zeppelin"><bdi>zeppelin<\/bdi> <span class="number">1</);
    expect(text).toMatch(/<a href="\/search\?kind=request"><bdi>request<\/bdi> <span class="number">2</);
    expect(text).toMatch(/<a href="\/search\?tags=loom"><bdi>#loom<\/bdi> <span class="number">2</);
    expect(text).toMatch(
      /<a href="\/search\?near=[^"]+&amp;radius_km=100"><bdi>near [^<]+<\/bdi> <span class="number">1</,
    );
  });

  it("comes as Markdown", async () => {
    const { text } = await getPage(board, "/stats.md");
    expect(text).toContain(
      "- Active posts: 10\n- Posted today: 3\n- Publishers: 2\n- Wrote this week: 1\n- Searched this week: ≈ 3\n- Searches a day: 1.7\n\n1,6",
    );
    expect(text).toContain("\n| Day | Posts | Searches | Registrations | Searches without result |\n");
    expect(text).toMatch(new RegExp(`\n\nAll figures: ${board.api}/metrics\n$`));
    // By day: posts, searches, registrations, and searches that found nothing.
    expect(text).toContain("\n| 2026-11-20 | 7 | 6 | 1 | 0 |\n| 2026-11-21 | 3 | 6 | 0 | 6 |\n");
    expect(text).toContain("\n6 searches found nothing.\n\n- zeppelin: 1 search\n");
    expect(text).toContain('\n- "#loom": 2 searches\n');
    expect((await getPage(board, "/index.md")).text).toContain(
      "\n10 active posts, 3 today, 2 publishers. event 3, offer 2, request 0, announcement 0, thread 5.",
    );
  });
});
