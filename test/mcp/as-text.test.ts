import { describe, expect, it } from "vitest";
import { excerptOf, hitRanges, soughtWords } from "../../src/adapters/text/excerpt.ts";
import { fenced, grouped, markdownDocument, table } from "../../src/adapters/text/markdown.ts";
import { fittingCount, shownPost } from "../../src/adapters/text/posts.ts";
import {
  shellJson,
  visible,
  visibleJson,
  visibleLine,
  visibleValue,
  wordOrQuoted,
} from "../../src/adapters/text/untrusted.ts";
import {
  clockTimeIn,
  daysAfter,
  isAllDay,
  localDay,
  localDaysOf,
  nowText,
  shownEnd,
  weekdayOf,
} from "../../src/adapters/text/when.ts";
import type { Post } from "../../src/schema/post.ts";
import { AMSTERDAM, aPost, at, NOW } from "../support/texts/answers.ts";

describe("a post in a list", () => {
  const view = { sought: [], now: NOW, isWhole: false, links: false };
  it.each<[string, Partial<Post>]>([
    ["| 1 reply\n", { reply_count: 1 }],
    ["| 2 replies\n", { reply_count: 2 }],
    ["| also `a`\n", { copies: { count: 1, ids: ["a"] } }],
    ["| also `a` +2\n", { copies: { count: 3, ids: ["a", "b"] } }],
    ["| also on 2026-12-08\n", { also_on: { starts_at: [at(7 * 86_400_000)], more: 0 } }],
    ["| also on 2026-12-08\n", { also_on: { starts_at: [at(7 * 86_400_000), at(7 * 86_400_001)], more: 0 } }],
    ['| "https://a.example/x|by"\n', { link: "https://a.example/x|by" }],
    ["| https://a.example/x\n", { link: "https://a.example/x" }],
    ["xxx\n", { link: "https://a.example/".padEnd(200, "x") }],
    ["| has a long link\n", { link: "https://a.example/".padEnd(201, "x") }],
    ['| by "A" ✓ pub_a\n', { publisher: { ...aPost().publisher, verified: true } }],
    [
      '| "The mill" 3.2 km | by "A" pub_a\n',
      { location: { ...AMSTERDAM, name: "The mill" }, distance_km: 3.2 },
    ],
    ['| 52,4.9 3.2 km | by "A" pub_a\n', { location: { ...AMSTERDAM, name: null }, distance_km: 3.2 }],
    ['| #a #"b c" #d\n', { tags: ["a", "b c", "d"] }],
    ['| #a #"b c" #d +1\n', { tags: ["a", "b c", "d", "e"] }],
    [
      'Tue 2026-12-01 – Wed 2026-12-02 | by "A" pub_a\n',
      { starts_at: "2026-12-01T00:00:00Z", ends_at: "2026-12-03T00:00:00Z" },
    ],
    [
      'Tue 2026-12-01 | by "A" pub_a\n',
      { starts_at: "2026-12-01T00:00:00Z", ends_at: "2026-12-02T00:00:00Z" },
    ],
    [
      "| also on 2026-12-08, 2026-12-15 +3\n",
      { also_on: { starts_at: [7, 14, 21].map((day) => at(day * 86_400_000)), more: 2 } },
    ],
    ["pub_a\n", { starts_at: at(0), ends_at: at(1) }],
    ['Tue 2026-12-01 21:00 Asia/Tokyo | by "A" pub_a\n', { starts_at: at(0), timezone: "Asia/Tokyo" }],
    [
      'Tue 2026-12-01 13:00–13:30 Europe/Amsterdam | 52,4.9 | by "A" pub_a\n',
      { starts_at: at(0), ends_at: at(1_800_000), location: AMSTERDAM },
    ],
    [
      'Mon 2026-11-30 23:30 America/New_York | "The mill" | by "A" pub_a | OVER\n',
      {
        ...{ starts_at: "2026-12-01T04:30:00Z", timezone: "America/New_York" },
        location: { ...AMSTERDAM, name: "The mill" },
      },
    ],
    [
      "| also on 2026-12-09\n",
      { also_on: { starts_at: ["2026-12-08T20:00:00Z"], more: 0 }, timezone: "Asia/Tokyo" },
    ],
    [
      'posted 2026-08-19, until Wed 2026-12-02 | by "A" pub_a\n',
      { ends_at: "2026-12-02T15:30:00Z", timezone: "Europe/Berlin" },
    ],
    ['| 52,4.9 | by "A" pub_a\n', { location: { ...AMSTERDAM, name: "" } }],
    ['posted 2026-08-19 | by "A" pub_a\n', { metadata: { status: "scheduled" } }],
    [
      'CANCELLED: Tue 2026-12-01 12:00 UTC | by "A" pub_a\n',
      { starts_at: at(0), metadata: { status: "CANCELLED" } },
    ],
    ['Tue 2026-12-01 12:00–11:59 UTC | by "A" pub_a\n', { starts_at: at(0), ends_at: at(86_340_000) }],
    [
      'Tue 2026-12-01 12:00 – Wed 2026-12-02 12:00 UTC | by "A" pub_a\n',
      { starts_at: at(0), ends_at: at(86_400_000) },
    ],
    [
      'TENTATIVE: Tue 2026-12-01 12:00 UTC | by "A" pub_a\n',
      { starts_at: at(0), metadata: { status: "tentative" } },
    ],
    ...["canceled", "Postponed"].map((status): [string, Partial<Post>] => [
      `   ${status.toUpperCase().replace("ELED", "ELLED")}: posted 2026-08-19 | by "A" pub_a\n`,
      { metadata: { status } },
    ]),
    [
      'posted 2026-08-19, until Tue 2026-12-01 | by "A" pub_a\n',
      { ends_at: "2026-12-02T00:00:00Z", metadata: { all_day: true } },
    ],
    ["| OVER\n", { starts_at: at(-2), ends_at: at(-1) }],
    ["| EXPIRED\n", { starts_at: at(-2), ends_at: at(-1), expires_at: at(0) }],
    ["| ⚠ flags: many_links\n", { flags: ["many_links"] }],
    ["| relayed | reply\n", { syndicated: true, parent_id: "x" }],
  ])("ends its facts with %j", (facts, over) => {
    expect(shownPost(aPost(over), "1. ", view)).toContain(`${facts}   > Long.`);
  });

  it("has its id, kind and title, then what is to be known of it, then its text", () => {
    const post = aPost({
      ...{ starts_at: at(0), location: { ...AMSTERDAM, name: "The mill" }, distance_km: 3.2 },
      ...{ link: "https://a.example/x", tags: ["a", "b", "c", "d"], flags: ["many_links", "hidden_unicode"] },
      ...{ syndicated: true, copies: { count: 2, ids: ["copy", "more"] }, reply_count: 2, parent_id: "root" },
      ...{
        also_on: { starts_at: [at(7 * 86_400_000)], more: 3 },
        publisher: { ...aPost().publisher, verified: true },
      },
    });
    const facts = [
      ...[
        "Tue 2026-12-01 13:00 Europe/Amsterdam",
        '"The mill" 3.2 km',
        'by "A" ✓ pub_a',
        "relayed",
        "also `copy` +1",
      ],
      ...["also on 2026-12-08 +3", "2 replies", "reply", "⚠ flags: many_links, hidden_unicode"],
      ...["https://a.example/x", "#a #b #c +1"],
    ];
    expect(shownPost(post, "12. ", view).split("\n")).toEqual([
      '12. `7fKm3Qx9Rt` event "A fair"',
      `    ${facts.join(" | ")}`,
      "    > Long.",
    ]);
    const whole = shownPost(post, "", { ...view, isWhole: true, links: true }).split("\n");
    expect(whole.slice(0, 2)).toEqual([
      '`7fKm3Qx9Rt` event "A fair"',
      [
        ...[
          "Tue 2026-12-01 13:00 Europe/Amsterdam",
          '"The mill" 3.2 km',
          'by "A" ✓ verified pub_a',
          "#a #b #c #d",
        ],
        ...["relayed", "also `copy` `more`", "also on 2026-12-08 +3", "2 replies", "reply to `root`"],
        "⚠ flags: many_links, hidden_unicode",
      ].join(" | "),
    ]);
    expect(whole.slice(2)).toEqual([
      `page https://board.example/p/7fKm3Qx9Rt | written ${at(-9e9)} | expires ${at(1)}`,
      "at 52,4.9",
      'link "https://a.example/x"',
      "> Long.",
    ]);
  });

  it("tells in a list by the time of writing when it was written, where it has dates, and as a whole five later dates", () => {
    const written = (over: Partial<Post>) =>
      /written [\d-]+/.exec(shownPost(aPost(over), "1. ", { ...view, isNewest: true }))?.[0];
    expect([written({}), written({ starts_at: at(0) })]).toEqual([undefined, "written 2026-08-19"]);
    const also_on = { starts_at: [1, 2, 3, 4, 5].map((day) => at(day * 86_400_000)), more: 2 };
    expect(shownPost(aPost({ also_on }), "", { ...view, isWhole: true })).toContain(
      "also on 2026-12-02, 2026-12-03, 2026-12-04, 2026-12-05, 2026-12-06 +2",
    );
  });

  it("has, as a whole, a line for its page and times, its place, its link, its source and what else it says", () => {
    const links = {
      link: "https://a.example/x",
      source_url: "https://b.example/",
      metadata: { fee: 2, none: null, "a\u200b": "b\u202e" },
    };
    const location = { name: null, lat: 52, lng: 4.9 } as Post["location"];
    const text = shownPost(aPost({ ...links, location, updated_at: at(0) }), "", {
      ...view,
      isWhole: true,
      links: true,
    });
    expect(text.split("\n").slice(2, -1)).toEqual([
      `page https://board.example/p/7fKm3Qx9Rt | written ${at(-9e9)} | expires ${at(1)}`,
      "at 52,4.9",
      'link "https://a.example/x"',
      'source "https://b.example/"',
      'metadata {"fee":2,"a":"b"}',
    ]);
    const lines = shownPost(aPost({ body: "One\r\n  Two\u2028Three  " }), "1. ", { ...view, isWhole: true });
    expect(lines.split("\n").slice(-3)).toEqual(["   > One", "   >   Two", "   > Three"]);
    const whole = { ...view, isWhole: true, links: true };
    const linesOf = (over: Partial<Post>, more = {}) =>
      shownPost(aPost(over), "", { ...whole, ...more })
        .split("\n")
        .slice(1, -1);
    expect(linesOf({})).toHaveLength(2);
    expect(linesOf({}, { noPages: true })[1]).toBe(`written ${at(-9e9)} | expires ${at(1)}`);
    // As JSON, metadata of a thousand characters stand there, and one more does not.
    const metadataOf = (chars: number) => ({ metadata: { a: "x".repeat(chars - '{"a":""}'.length) } });
    expect([1_000, 1_001].map((chars) => linesOf(metadataOf(chars)).length)).toEqual([3, 2]);
  });

  it("tells as a whole all its tags and copies, what it answers, that its publisher is verified, and its last day", () => {
    const facts = (over: Partial<Post>) =>
      shownPost(aPost(over), "", { ...view, isWhole: true }).split("\n")[1];
    const publisher = { ...aPost().publisher, verified: true };
    expect(facts({ tags: ["a", "b", "c", "d"], publisher })).toBe(
      'posted 2026-08-19 | by "A" ✓ verified pub_a | #a #b #c #d',
    );
    expect(facts({ copies: { count: 3, ids: ["a", "b"] }, parent_id: "root" })).toBe(
      'posted 2026-08-19 | by "A" pub_a | also `a` `b` +1 | reply to `root`',
    );
    const night = { starts_at: "2026-12-01T22:00:00Z", ends_at: "2026-12-02T02:00:00Z" };
    expect(facts(night)).toContain("Tue 2026-12-01 22:00 – Wed 2026-12-02 02:00 UTC | by");
    expect(shownPost(aPost(night), "", view)).toContain("\nTue 2026-12-01 22:00–02:00 UTC | by");
  });

  it("is left to the next page where it does not fit, but the first one is always shown", () => {
    const texts = ["x", "y".repeat(7), "z".repeat(7)];
    expect([0, 1, 2, 3, 4, 5].map((tokens) => fittingCount(texts, tokens))).toEqual([1, 1, 1, 2, 2, 3]);
    // Letters outside ASCII take two bytes or more.
    expect([4, 5].map((tokens) => fittingCount(["x", "ü".repeat(7)], tokens))).toEqual([1, 2]);
    expect(fittingCount([], 5)).toBe(0);
  });
});

describe("an excerpt", () => {
  const words = (count: number, word = "plain") => `${word} `.repeat(count);

  it("begins some sixty characters before the first hit, at a word, and ends at one", () => {
    const excerpt = excerptOf(`${words(90)}needle ${words(90)}`, ["needle"]);
    expect(excerpt).toMatch(/^…(plain )+needle (plain )+plain…$/);
    expect(excerpt.indexOf("needle")).toBeGreaterThan(40);
    expect(excerpt.indexOf("needle")).toBeLessThanOrEqual(61);
    // At the end of a text it begins sooner.
    expect(excerptOf(`${words(90)}needle`, ["needle"]).length).toBeGreaterThan(220);
  });

  it("is the whole text of 240 bytes, and of a longer one as many whole words", () => {
    expect(excerptOf("word ".repeat(48).trim(), [])).toBe("word ".repeat(48).trim());
    expect(excerptOf(`${"word ".repeat(48)}`.replace(/ $/, "s s"), [])).toBe(`${"word ".repeat(47).trim()}…`);
    expect(excerptOf("One line.\n\n Another\tline.", [])).toBe("One line. Another line.");
    expect(excerptOf(`${words(50)}needle ${words(50)}`, ["needle"])).toBe(
      `…${words(9)}needle ${words(28)}`.trim().concat("…"),
    );
  });

  it("is found by words in any letter case and without accents, and by more of them before more often one", () => {
    for (const word of ["Mühle", "MUHLE"])
      expect(excerptOf(`${words(50)}${word} ${words(50)}`, ["muhl"])).toContain(` ${word} `);
    const often = `${words(50)}needle needle needle ${words(50)}needle and thread ${words(50)}`;
    expect(excerptOf(often, ["needle", "thread"])).toContain("needle and thread");
  });

  it("cuts through nothing that is seen as one character", () => {
    const family = "👨‍👩‍👧";
    expect(excerptOf(family.repeat(60), [])).toBe(`${family.repeat(22)}…`);
    expect(excerptOf(`${family.repeat(60)}needle`, ["needle"])).toBe(`…${family.repeat(22)}needle`);
  });

  it("cuts a word that is longer than twenty characters", () => {
    const excerpt = excerptOf(`${"x".repeat(300)} needle ${"y".repeat(400)}`, ["needle"]);
    expect(excerpt).toMatch(/^…x{59} needle y{100,}…$/);
  });

  it("is the first of the places that hold as much, and the one that holds more", () => {
    const text = `first needle ${words(90)}second needle ${words(90)}third needle and thread ${words(90)}`;
    expect(excerptOf(text, ["needle"])).toContain("first");
    expect(excerptOf(text, ["needle", "thread"])).toContain("third");
  });

  it("has 180 characters at least, also where each takes three bytes", () => {
    expect(excerptOf("自転車".repeat(100), []).length).toBeGreaterThan(170);
    expect(excerptOf("自".repeat(180), [])).toBe("自".repeat(180));
    expect(excerptOf("自".repeat(181), [])).toMatch(/^自+…$/);
  });

  it("looks for words without their last two letters where they have more than five, plain and in phrases, each once", () => {
    expect(soughtWords('Mühle mühlen "alte Bäcker" alte')).toEqual(["muhle", "muhl", "alte", "back"]);
    expect(soughtWords("bike -car lock")).toEqual(["bike", "lock"]);
    for (const nothing of [undefined, ""]) expect(soughtWords(nothing)).toEqual([]);
  });

  it.each([
    ["We weave, weaving as weavers do.", ["weav"], ["weave", "weaving", "weavers"]],
    ["Interweave nothing", ["weav"], []],
    ["Mill or loom, then the loom", ["loom", "mill"], ["Mill", "loom", "loom"]],
    // Of two that overlap the first is marked.
    ["bicycles", ["bicyc", "bicycl"], ["bicycles"]],
    ["In der MÜHLE, und Mühlen", ["muhl"], ["MÜHLE", "Mühlen"]],
    ["自転車と自転車", ["自転"], ["自転", "自転"]],
    ["Велосипед и велосипеды", ["велосипе"], ["Велосипед", "велосипеды"]],
    ["Die Straße, Łódź and smørrebrød", ["straß", "lodz", "smorreb"], ["Straße", "Łódź", "smørrebrød"]],
    ["Hall 12b of 112", ["12"], ["12b"]],
  ])("marks in %j each of %j to the end of its word", (text, sought, marked) => {
    expect(hitRanges(text, sought).map(([from, to]) => text.slice(from, to))).toEqual(marked);
  });

  it("looks for 32 words at most", () => {
    const q = Array.from({ length: 40 }, (_, n) => `w${n}`).join(" ");
    expect(soughtWords(q)).toEqual(Array.from({ length: 32 }, (_, n) => `w${n}`));
  });
});

describe("a value that strangers wrote", () => {
  it("stays within its quotes in a shell, and hides nothing", () => {
    expect(shellJson("a'b\u2060\u202e\u200b\ufeff")).toBe("'\"a\\u0027b\\u2060\\u202e\\u200b\\ufeff\"'");
  });

  it("loses what nobody sees, and no part of an emoji", () => {
    expect(visible("a\u200bb\u202ec\ufeff\u{e0041} 👨‍👩‍👧 ❤️")).toBe("abc 👨‍👩‍👧 ❤️");
    // The number signs of Arabic are seen; a lone CR ends a line, as every other break does.
    expect(visible("\u0600\u0601\u06dd1\u{110bd}")).toBe("\u0600\u0601\u06dd1\u{110bd}");
    expect(visible("a\rb\r\nc\u0085d\u2029e")).toBe("a\nb\nc\nd\ne");
    expect(visible("#\ufe0f\u20e3\u200b 👩‍👩‍👧‍👦")).toBe("#\ufe0f\u20e3 👩‍👩‍👧‍👦");
    expect(visibleLine("  a \t\n\n b ")).toBe("a b");
    expect(visible("a\u00ad\u2800\u3164\ufe0f\u{e0101}\u0007\tb\nc")).toBe("a\tb\nc");
    expect(visible("\ud800 👍🏽 \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}")).toBe(
      "\ufffd 👍🏽 \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    );
    expect(["a-b.c", "Zoë", "a b", "-a", "a|b", ""].map(wordOrQuoted)).toEqual([
      ...["a-b.c", "Zoë", '"a b"', '"-a"', '"a|b"', '""'],
    ]);
    expect(visible("![a](https://a.example/x.png) and [b](c)!")).toBe(
      "!\\[a](https://a.example/x.png) and [b](c)!",
    );
  });

  it("is escaped in a call that is proposed, which means the same", () => {
    expect(visibleJson({ q: "a\u202eb 👨‍👩‍👧" })).toBe('{"q":"a\\u202eb 👨\\u200d👩\\u200d👧"}');
  });

  it("shows nothing from elsewhere by itself, by whatever element of HTML", () => {
    const elements =
      "img image picture source video audio track iframe frame object embed svg link style script input body table td th base meta";
    for (const name of elements.split(" ")) expect(visible(`a <${name} src=x>`)).toBe(`a <\\${name} src=x>`);
    expect(visible("a <b>word</b>")).toBe("a <b>word</b>");
    expect(visible("a <IMG src=x> and <imgs> ![x]![y]")).toBe("a <\\IMG src=x> and <imgs> !\\[x]!\\[y]");
  });

  it("has no null members, and no invisible characters in names", () => {
    const value = { "a\u200b": null, "b\u200b": [{ c: "x\u202e", d: undefined }], e: 0 };
    expect(visibleValue(value)).toEqual({ b: [{ c: "x" }], e: 0 });
  });
});

describe("the days of a post", () => {
  const berlin = { timezone: "Europe/Berlin" };
  it.each<[what: string, Partial<Post>, isAllDay: boolean, days: string | null, end: string | null]>([
    ["none", {}, false, null, null],
    ["an hour", { starts_at: at(0) }, false, "2026-12-01", null],
    [
      "until midnight",
      { starts_at: at(0), ends_at: at(12 * 3_600_000) },
      false,
      "2026-12-01",
      at(12 * 3_600_000),
    ],
    ["until six", { starts_at: at(0), ends_at: at(18 * 3_600_000) }, false, "2026-12-01", at(18 * 3_600_000)],
    [
      "until past six",
      { starts_at: at(0), ends_at: at(18 * 3_600_000 + 60_000) },
      false,
      "2026-12-01 2026-12-02",
      at(18 * 3_600_000 + 60_000),
    ],
    ["an end before its start", { starts_at: at(0), ends_at: at(-1) }, false, "2026-12-01", at(-1)],
    ["its whole day", { starts_at: "2026-11-30T23:00:00Z", ...berlin }, true, "2026-12-01", null],
    [
      "two, to the last minute",
      { starts_at: "2026-11-30T23:00:00Z", ends_at: "2026-12-02T22:59:59Z", ...berlin },
      true,
      "2026-12-01 2026-12-02",
      "2026-12-02T22:59:58.999Z",
    ],
    [
      "two, as it says",
      { starts_at: at(0), ends_at: "2026-12-03T00:00:00Z", metadata: { all_day: true } },
      true,
      "2026-12-01 2026-12-02",
      "2026-12-02T23:59:59.999Z",
    ],
    [
      "one that ends as it begins",
      { starts_at: "2026-12-01T00:00:00Z", ends_at: "2026-12-01T00:00:00Z" },
      true,
      "2026-12-01",
      "2026-12-01T00:00:00.000Z",
    ],
    [
      "midnight, as it says",
      { starts_at: "2026-12-01T00:00:00Z", metadata: { all_day: false } },
      false,
      "2026-12-01",
      null,
    ],
  ])("are: %s", (_what, over, isWhole, days, end) => {
    const post = aPost(over);
    const found = localDaysOf(post);
    const told = found === null ? null : [...new Set([found.first, found.last])].join(" ");
    expect([isAllDay(post), told, shownEnd(post)]).toEqual([isWhole, days, end]);
  });

  it("and their clock are those of a zone, over the ends of months and years", () => {
    const late = Date.parse("2026-12-31T23:30:00Z");
    expect(["UTC", "Europe/Berlin", "America/New_York"].map((zone) => localDay(late, zone))).toEqual([
      ...["2026-12-31", "2027-01-01", "2026-12-31"],
    ]);
    expect([daysAfter("2026-12-31", 1), daysAfter("2026-03-01", -1), daysAfter("2026-12-01", 0)]).toEqual([
      ...["2027-01-01", "2026-02-28", "2026-12-01"],
    ]);
    expect(["2026-12-05", "2026-12-06", "2026-12-07"].map(weekdayOf)).toEqual([6, 0, 1]);
    expect(clockTimeIn("2026-02-03T18:05:00Z", "Asia/Kolkata")).toEqual({
      ...{ weekday: "Tue", day: 3, month: 2, monthName: "Feb", year: "2026", time: "23:35" },
    });
    expect(clockTimeIn("0987-12-31T00:00:00Z", "UTC")).toMatchObject({
      year: "0987",
      time: "00:00",
      monthName: "Dec",
    });
  });

  it("begin where the board's clock does, to the minute", () => {
    expect(nowText(NOW + 59_999)).toBe("Tue 2026-12-01, 12:00 UTC");
    expect(nowText(NOW + 60_000)).toBe("Tue 2026-12-01, 12:01 UTC");
  });
});

describe("Markdown", () => {
  it("has a blank line between its parts, and none for those that are empty", () => {
    expect(markdownDocument(["# A", null, false, "", "b", fenced("c", "json")])).toBe(
      "# A\n\nb\n\n```json\nc\n```\n",
    );
  });

  it("has a row of a table on one line, whatever stands in its cells", () => {
    expect(
      table(
        ["a", "b|c|d"],
        [
          ["x | y | z", "1\n 2\n3"],
          ["", "w"],
        ],
      ).split("\n"),
    ).toEqual(["| a | b\\|c\\|d |", "|---|---|", "| x \\| y \\| z | 1 2 3 |", "|  | w |"]);
  });

  it("groups things in the order of the first of each group", () => {
    expect([...grouped(["bat", "ant", "bee", "ape"], (word) => word.charAt(0))]).toEqual([
      ["b", ["bat", "bee"]],
      ["a", ["ant", "ape"]],
    ]);
  });
});
