import { describe, expect, it } from "vitest";
import { answerData, type Call, failedResult, postLinks } from "../../../src/adapters/mcp/results.ts";
import { BoardError } from "../../../src/board/failures.ts";
import type { Post } from "../../../src/schema/post.ts";
import { aPost, at, callOf, textOf, UNSERVED } from "../../support/texts/answers.ts";

describe("the heading of a list", () => {
  const call = callOf("search");
  const [strong, weak] = [aPost(), aPost({ weak: true })];

  it.each<[heading: string, posts: Post[], meta: object]>([
    ["None of 18 holds it well", [weak], { first: 0, total: 18 }],
    ["1 of 18 holds it well", [strong, weak], { first: 0, total: 18 }],
    ["2 of 18 hold it well", [strong, strong, weak], { first: 0, total: 18 }],
    ["Posts 1–2 of 2", [strong, strong, weak], { first: 0, total: 2 }],
    ["No post matches", [weak], { first: 0, total: 0 }],
    ["Post 41 of 41", [strong], { first: 40, total: 41 }],
    ["Post 1 of 999", [strong], { first: 0, total: 999 }],
    ["Post 1 of 1,000+", [strong], { first: 0, total: 1_000 }],
    ["2 posts of 1,000+", [strong, strong], { first: null, total: 1_000 }],
    ["2 posts", [strong, strong], {}],
  ])("says %s", (heading, posts, meta) => {
    const data = posts.map((post, n) => ({ ...post, id: `${post.id}${n}` }));
    expect(/UTC\. ([^.]*)\./.exec(textOf(call, data, { ...meta }))?.[1]).toBe(heading);
  });

  it.each([
    ["newest", ", newest first"],
    ["soonest", ", soonest first"],
    ["lexical", ", best first (by words only)"],
    ["hybrid", ", best first"],
    ["hybrid+rerank", ", best first"],
  ])("tells the order of the ranking %s: %s", (ranking, order) => {
    expect(textOf(call, [strong], { ranking })).toContain(`UTC. 1 post${order}. Page of a post`);
  });

  it("names the call that lists what fits the filters alone, in another order only where one was asked for", () => {
    const sent = { q: "a fair", kind: "event", rerank: false, unknown: 1 };
    const said = (sort: string) =>
      /hold the words; .*?\}/.exec(
        textOf(callOf("search", { sent: { ...sent, sort } }), [strong], { fitting: 15 }),
      )?.[0];
    expect([said("relevance"), said("soonest")]).toEqual([
      'hold the words; 15 fit the filters alone: search {"kind":"event"}',
      'hold the words; 15 fit the filters alone: search {"kind":"event","sort":"soonest"}',
    ]);
  });

  it("gives the calendar of a search with dates, by its filters, where something serves it", () => {
    const sent = { q: "a fair", kind: "event", limit: 5, cursor: "c", sort: "newest", rerank: true };
    const posts = [aPost(), aPost({ id: "8fKm3Qx9Rt", starts_at: at(0) })];
    const said = (over: Partial<Call>, list: Post[], name = "search", nth = 0) =>
      textOf(callOf(name, over, nth), list)
        .split("\n")[0]
        ?.replace(/^.*first\. |^.*posts?\. /, "");
    const page = "Page of a post: https://board.example/p/ID";
    const all = "all of these https://board.example/calendar.ics?q=a+fair&kind=event";
    expect(said({ sent }, posts)).toBe(`${page}; for calendars: https://board.example/p/ID.ics, ${all}`);
    expect(said({ sent }, posts.slice(0, 1))).toBe(page);
    expect(said({ sent, site: UNSERVED }, posts)).toBe("Read one with `get_post`.");
    expect(said({ sent: { id: "x" } }, posts, "get_post", 1)).toBe(
      `${page}; for calendars: https://board.example/p/ID.ics`,
    );
  });
});

describe("the end of a list", () => {
  it.each<[end: string, call: Call]>([
    ['More: search {"q":"x","cursor":"next"}', callOf("search", { sent: { q: "x", cursor: "c", other: 1 } })],
    [
      'More: search {"q":"x","detail":"full","cursor":"next"}',
      callOf("search", { sent: { q: "x" }, detail: "full", sendsKey: true }),
    ],
    [
      'Next look: check_subscription {"id":"sub_a","limit":5,"cursor":"next"}',
      callOf("check_subscription", { sent: { id: "sub_a", since: "yesterday", limit: 5 } }),
    ],
    [
      'Next look: check_subscription {"api_key":"<yours>","cursor":"next"}',
      callOf("check_subscription", { sendsKey: true }, 1),
    ],
  ])("is the call that goes on: %s", (end, call) => {
    for (const posts of [[], [aPost()]]) expect(textOf(call, posts, {}, "next").split("\n").at(-1)).toBe(end);
  });

  it("is none on the last page, and an empty look says so by what was asked", () => {
    expect(textOf(callOf("search"), [aPost()])).not.toContain("More: ");
    expect(textOf(callOf("search"), [])).toBe("No posts. Now: Tue 2026-12-01, 12:00 UTC.");
    expect(textOf(callOf("check_subscription"), [])).toBe("No new matches.");
    expect(textOf(callOf("check_subscription", {}, 1), [])).toBe("Nothing new.");
  });
});

describe("one post", () => {
  const page = (over: object = {}, call = callOf("get_post"), meta: object = {}) =>
    textOf(call, { ...aPost(), related: [], replies: [], ...over }, { ...meta });
  const long = (blankAt: number) => `${"x".repeat(blankAt)} ${"y".repeat(4_001)}`.slice(0, 4_001);

  it.each([
    ["at the last blank", long(3_000), 0, 3_000],
    ["within a word that is longer than half of it", long(2_000), 0, 4_000],
    ["behind what was left out before", long(3_000), 4_000, 7_000],
  ])("is cut %s, and goes on from there", (_where, body, from, next) => {
    const text = page({ body }, callOf("get_post", { sent: { id: "x", body_from: from } }));
    expect(text).toContain(`…\nThe text goes on: get_post {"id":"7fKm3Qx9Rt","limit":0,"body_from":${next}}`);
    expect(text).toContain(`> ${body.slice(0, next - from)}…\n`);
  });

  it("of 4,000 characters is whole", () => {
    expect(page({ body: long(3_000).slice(1) })).not.toContain("The text goes on");
  });

  it("counts its replies, and no fewer than it shows", () => {
    const replies = [aPost({ id: "7fKm3Qx9Rt-abcdef", parent_id: "7fKm3Qx9Rt" })];
    const heading = (reply_count: number) => /Replies.*/.exec(page({ reply_count, replies }))?.[0];
    expect([heading(0), heading(7)]).toEqual([
      "Replies, oldest first (1 of 1):",
      "Replies, oldest first (1 of 7):",
    ]);
    expect(
      page({ replies, related: [aPost({ id: "8fKm3Qx9Rt" })] }, callOf("get_post", { sent: { id: "x" } }), {
        replies_cursor: "next",
      }),
    ).toMatch(/\nMore: get_post \{"id":"x","cursor":"next"\}\nRelated:\n1\. `8fKm3Qx9Rt` event "A fair"$/);
  });

  it("that was taken down, and a saved query that was ended, are told apart", () => {
    const gone = { id: "x", deleted: true };
    expect(textOf(callOf("create_post", {}, 2), gone)).toMatch(/^Taken down: nobody finds or reads it/);
    expect(textOf(callOf("subscribe", {}, 2), gone)).toMatch(/^Ended: nothing more is kept for it/);
  });

  it("has a note above it, with the key in the calls that the note names", () => {
    const note = 'See subscribe {"id":"x"}.';
    const noteFor = (sendsKey: boolean) =>
      page({}, callOf("get_post", { sendsKey }), { note }).split("\n")[0];
    expect([noteFor(false), noteFor(true)]).toEqual([
      'Note: See subscribe {"id":"x"}.',
      'Note: See subscribe {"api_key":"<yours>","id":"x"}.',
    ]);
  });
});

describe("the data of an answer", () => {
  it("is the envelope without invisible characters, with a link to each post that is still there", () => {
    const hidden = { ok: true as const, data: { name: "a\u202eb", n: null }, meta: {} };
    expect(answerData(hidden)).toEqual({ ok: true, data: { name: "ab", n: null }, meta: {} });
    const linked = (call: Call, data: unknown) =>
      postLinks(call, { ok: true, data, meta: {} }).map(({ uri, title }) => [uri, title]);
    const found = ["board://posts/7fKm3Qx9Rt", "A fair"];
    expect(linked(callOf("search"), [aPost({ title: "A\nfair" })])).toEqual([found]);
    const items = ["match", "reply"].map((type) => ({ type, at: at(0), post: aPost() }));
    expect(
      linked(callOf("check_subscription", {}, 1), [...items, { type: "match", post: { id: "gone" } }]),
    ).toEqual([found]);
    expect(linked(callOf("create_post"), aPost())).toEqual([found]);
    expect(linked(callOf("about"), aPost())).toEqual([]);
  });
});

describe("a failure", () => {
  it("names each field that is wrong, of a list the whole, and of an object the member", () => {
    const paths = ["", "title", "tags.1", "location.lat", "query.near", "starts_at2"];
    const issues = paths.map((path) => ({ path, code: "invalid_type", message: "Is wrong." }));
    const texts = (
      error: BoardError,
      reference?: string,
    ): [isError: boolean | undefined, lines: string[]] => {
      const { content, isError } = failedResult(error, "Mend it.", reference);
      const [only] = content;
      return [isError, only?.type === "text" ? only.text.split("\n") : []] as const;
    };
    expect(texts(new BoardError("invalid_request", { issues }))).toEqual([
      true,
      [
        "invalid_request: Fields are wrong or missing.",
        ...["input", "title", "tags", "location.lat", "query.near", "starts_at2"].map(
          (name) => `- ${name}: Is wrong.`,
        ),
        "Hint: Mend it.",
      ],
    ]);
    expect(texts(new BoardError("overloaded", { retryAfterS: 7 }), "ref")[1]?.slice(-3)).toEqual([
      "Hint: Mend it.",
      "Retry after 7 s.",
      "Reference for the operator: ref.",
    ]);
  });
});
