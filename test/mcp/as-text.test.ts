import { describe, expect, it } from "vitest";
import { receiptLines, recordText, subscriptionLines } from "../../src/adapters/mcp/record.ts";
import {
  answerData,
  answerText,
  type Call,
  failedResult,
  postLinks,
} from "../../src/adapters/mcp/results.ts";
import { listRows } from "../../src/adapters/mcp/rows.ts";
import { type ServedOperation, servedTools } from "../../src/adapters/mcp/tool-list.ts";
import { excerptOf, hitRanges, soughtWords } from "../../src/adapters/text/excerpt.ts";
import { fittingCount, shownPost } from "../../src/adapters/text/posts.ts";
import {
  shellJson,
  visible,
  visibleJson,
  visibleLine,
  visibleValue,
  wordOrQuoted,
} from "../../src/adapters/text/untrusted.ts";
import { isAllDay, localDaysOf, nowText, shownEnd } from "../../src/adapters/text/when.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { BoardError } from "../../src/board/failures.ts";
import { Site } from "../../src/domain/site.ts";
import type { Post } from "../../src/schema/post.ts";
import type { InboxItem, PendingMatch, Subscription } from "../../src/schema/subscription.ts";

const NOW = Date.parse("2026-12-01T12:00:00Z");
const at = (ms: number) => new Date(NOW + ms).toISOString();
const tools = servedTools(await loadCatalog());

const aPost = (over: Partial<Post> = {}): Post => ({
  ...{
    id: "7fKm3Qx9Rt",
    url: "https://board.example/p/7fKm3Qx9Rt",
    kind: "event",
    title: "A fair",
    body: "Long.",
  },
  ...{
    link: null,
    tags: [],
    location: null,
    starts_at: null,
    ends_at: null,
    timezone: null,
    expires_at: at(1),
  },
  ...{ source_url: null, syndicated: false, metadata: {}, retrievals: 0, parent_id: null, thread_url: null },
  ...{ reply_count: 0, last_reply_at: null, flags: [], created_at: at(-9e9), updated_at: at(-9e9) },
  publisher: {
    ...{ id: "pub_a", name: "A", description: null, url: null, domain: null, verified: false },
    ...{ first_seen: at(-9e9), post_count: 1, crier_url: "https://board.example/publishers/pub_a" },
  },
  ...over,
});

const AMSTERDAM = { lat: 52, lng: 4.9 } as NonNullable<Post["location"]>;

const SITE = new Site("https://board.example");
const UNSERVED = new Site("https://board.example", { isServed: false });

/** A call of a tool, or of another operation of it. */
function callOf(name: string, over: Partial<Call> = {}, nth = 0): Call {
  const tool = tools.get(name);
  const served = tool?.operations[nth];
  if (tool === undefined || served === undefined) throw new Error(`no ${name}`);
  const call = { tool, served, sent: {}, detail: "compact", answers: "text", now: NOW } as const;
  return { ...call, site: SITE, sendsKey: false, ...over };
}

/** The answer to a call as a model reads it. */
const textOf = (call: Call, data: unknown, meta: Record<string, unknown> = {}, next_cursor?: string) =>
  answerText(call, {
    reply: { outcome: "ok", data },
    body: { ok: true, data, meta, ...(next_cursor === undefined ? {} : { next_cursor }) },
  });

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

describe("what an inbox tells of a post", () => {
  const saved = (id: string, over: Partial<Subscription> = {}) =>
    ({ id, label: null, describes: id, pending: 0, inactive_reason: null, ...over }) as Subscription;
  const all = ["sub_a", "sub_b", "sub_c"].map((id) => saved(id));
  const item = (over: Partial<InboxItem>): InboxItem => ({
    type: "match",
    at: at(0),
    post: aPost(),
    ...over,
  });
  const inbox = (items: InboxItem[], subscriptions: Subscription[] = all, over: Partial<Call> = {}) =>
    textOf(callOf("check_subscription", over, 1), items, { subscriptions });
  const WRITTEN = "written Wed 2026-08-19, 08:00 UTC";
  const ANSWER = 'answer it with `parent_id` "7fKm3Qx9Rt"';
  const reply = aPost({ id: "7fKm3Qx9Rt-abcdef", parent_id: "7fKm3Qx9Rt" });
  const change = (what: string[], before: object = {}) =>
    ({ what, before, at: at(0) }) as NonNullable<InboxItem["change"]>;

  it.each<[line: string, items: Partial<InboxItem>[]]>([
    [
      `matches S2 (relevance 0.8), S1 (relevance 0.3), ${WRITTEN}`,
      [
        { subscription_id: "sub_c", post: aPost({ relevance: 0.8 }) },
        { subscription_id: "sub_a", post: aPost({ relevance: 0.3 }) },
      ],
    ],
    [
      `matches \`sub_gone\` (relevance 1), ${WRITTEN}`,
      [{ subscription_id: "sub_gone", post: aPost({ relevance: 1 }) }],
    ],
    [`a reply to your post, ${WRITTEN}; ${ANSWER}`, [{ type: "reply", post: reply }]],
    [`a reply in a thread you replied to, ${WRITTEN}; ${ANSWER}`, [{ type: "activity", post: reply }]],
    [
      `a post that you replied to, CHANGED since you were told: cancelled, ${WRITTEN}`,
      [{ type: "activity", change: change(["cancelled"]) }],
    ],
    [
      "a post that you replied to, CHANGED since you were told: taken down",
      [{ type: "activity", post: { id: "7fKm3Qx9Rt" }, change: change(["removed"]) }],
    ],
    [
      "matches S1, CHANGED since you were told: taken down",
      [{ subscription_id: "sub_a", post: { id: "7fKm3Qx9Rt" }, change: change(["removed"]) }],
    ],
    [
      `matches S1 (relevance 1), CHANGED since you were told: starts_at (was ${at(5)}), ends_at (was nothing), location (was "The mill"), ended before its time, ${WRITTEN}`,
      [
        {
          subscription_id: "sub_a",
          post: aPost({ relevance: 1 }),
          change: change(["starts_at", "ends_at", "location", "ended"], {
            starts_at: at(5),
            ends_at: null,
            location: { ...AMSTERDAM, name: "The mill" },
          }),
        },
      ],
    ],
  ])("is why: %s", (line, items) => {
    const text = inbox(items.map(item));
    expect(text.split("\n")).toContain(`   ${line}`);
    expect(text).toMatch(/UTC\. 1 post, oldest first\./);
    expect(text.includes("1. `7fKm3Qx9Rt` is taken down: nobody reads it any more\n")).toBe(
      items[0]?.post !== undefined && !("title" in items[0].post),
    );
  });

  it("is, of a look at one saved query, how well it answers and what changed", () => {
    const match = { ...aPost({ relevance: 0.7 }), delivery_id: 1, matched_at: at(0) } as PendingMatch;
    const line = (over: object) =>
      textOf(callOf("check_subscription"), [{ ...match, ...over }])
        .split("\n")
        .at(-1);
    expect(line({})).toBe(`   relevance 0.7, ${WRITTEN}`);
    expect(line({ change: change(["ended"]) })).toBe(
      `   relevance 0.7, CHANGED since you were told: ended before its time, ${WRITTEN}`,
    );
  });

  it("is followed by the saved queries that matched or need attention; by all where all were asked for", () => {
    const items = [item({ subscription_id: "sub_b", post: aPost({ relevance: 1 }) })];
    const queries = [
      saved("sub_a"),
      saved("sub_b", { label: "Fairs", pending: 2 }),
      saved("sub_c", { inactive_reason: "webhook_gone" }),
    ];
    const listed = (...asked: Parameters<typeof inbox>) =>
      inbox(...asked)
        .split(/\n(?=.*subscriptions:\n)/)[1]
        ?.split("\n");
    expect(listed(items, queries)).toEqual([
      "Of your 3 subscriptions:",
      'S1 `sub_b` | "Fairs" | "sub_b" | 2 kept',
      'S2 `sub_c` | "sub_c" | 0 kept | inactive: webhook_gone',
    ]);
    expect(listed(items, queries.slice(1))?.[0]).toBe("Your subscriptions:");
    expect(listed(items, queries, { detail: "full" })?.slice(0, 2)).toEqual([
      "Your subscriptions:",
      'S1 `sub_a` | "sub_a" | 0 kept',
    ]);
    expect(inbox([], [])).toBe("Nothing new.\nYou have no subscriptions.");
    expect(inbox([], queries.slice(0, 1))).toBe("Nothing new.");
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
    const links = { link: "https://a.example/x", source_url: "https://b.example/", metadata: { fee: 2 } };
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
      'metadata {"fee":2}',
    ]);
    const lines = shownPost(aPost({ body: "One\r\nTwo\u2028Three  " }), "1. ", { ...view, isWhole: true });
    expect(lines.split("\n").slice(-3)).toEqual(["   > One", "   > Two", "   > Three"]);
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
  });

  it("has a row for each way in which it came, and for each change", () => {
    const item = (over: Partial<InboxItem>): InboxItem => ({
      type: "match",
      at: at(0),
      post: aPost(),
      ...over,
    });
    const change = (ms: number) => ({ change: { what: [], before: {}, at: at(ms) } });
    const items = [
      item({}),
      item({ subscription_id: "b" }),
      item({ type: "reply" }),
      item(change(1)),
      item(change(2)),
    ];
    expect(listRows(items).map((row) => row.items.length)).toEqual([2, 1, 1, 1]);
  });
});

describe("a record", () => {
  it("leaves out what is null and rows of zeros, and names columns once", () => {
    const output = tools.get("about")?.operations[0].operation;
    if (output === undefined) throw new Error("no about");
    const data = {
      gone: null,
      flat: { a: 1, b: null, "c\u202e": "two words" },
      days: [
        { day: "x", posts: 0, searches: 0 },
        { day: "y", posts: 2, searches: 0 },
      ],
      names: [{ from: "x", to: "y" }],
      none: [],
      plain: ["a", "b c"],
    };
    expect(recordText(output, data)).toMatch(
      /^flat: a 1, c "two words"\ndays: \(day, posts, searches\) y, 2, 0 \(.*\)\nnames: \(from, to\) x, y\nnone: none\nplain: a, "b c"$/,
    );
  });

  it("of a saved query says whether its webhook agreed", () => {
    const served = tools.get("subscribe")?.operations[0] as ServedOperation;
    const saved = {
      id: "sub_a",
      describes: "Posts",
      webhook_url: "https://a.example/",
      active: true,
      secret: "s3",
    };
    const linesFor = (over: object) =>
      subscriptionLines(
        { served, sendsKey: false },
        { ...saved, ...over } as unknown as Subscription,
        true,
      ).join("\n");
    expect(linesFor({ webhook_verified: false })).toContain(
      '"https://a.example/" (its owner has not answered',
    );
    expect(linesFor({ webhook_verified: true })).toContain('"https://a.example/" (verified)\nsecret: s3 (');
    expect(linesFor({ webhook_url: null })).not.toMatch(/webhook|secret/);
  });

  it("of a saved query says whether it is new, and how it goes on", () => {
    const linesOf = (isNew: boolean, sendsKey: boolean, active: boolean, at = 0) => {
      const served = tools.get("subscribe")?.operations[at] as ServedOperation;
      const saved = { id: "sub_a", describes: "Posts", webhook_url: null, active } as Subscription;
      const lines = subscriptionLines({ served, sendsKey }, saved, isNew);
      return [lines[0], lines.at(-1)];
    };
    const next = 'Next: check_subscription {"id":"sub_a","wait_s":30}';
    expect(linesOf(true, false, true)).toEqual(['Saved: "Posts". Later posts only.', next]);
    expect(linesOf(false, true, true)).toEqual([
      'Saved already: "Posts". Later posts only.',
      'Next: check_subscription {"api_key":"<yours>","id":"sub_a","wait_s":30}',
    ]);
    expect(linesOf(false, false, false, 1)).toEqual([
      'Changed: "Posts". Later posts only.',
      'Paused: it matches nothing until: subscribe {"id":"sub_a","active":true}',
    ]);
  });

  it.each<[said: string, at: number, reply: object, over: Partial<Post>]>([
    ["Published.", 0, {}, {}],
    ["Already published; nothing new was written.", 0, { replayed: true }, {}],
    ["Changed.", 1, {}, {}],
    ["Changed; the post has ended.", 1, {}, { expires_at: at(0) }],
    ["Nothing was changed.", 1, { unchanged: true }, {}],
  ])("of a post that was sent says: %s", (said, nth, reply, over) => {
    const served = tools.get("create_post")?.operations[nth] as ServedOperation;
    const linesFor = (sendsKey: boolean) =>
      receiptLines(
        { served, now: NOW, site: new Site("https://board.example"), sendsKey },
        aPost(over),
        reply,
      );
    expect(linesFor(false)[0]).toBe(said);
    const inbox = 'Replies to it: check_subscription {"api_key":"<yours>"}';
    expect(linesFor(true).includes(inbox)).toBe(nth === 0);
    expect(linesFor(false)).not.toContain(inbox);
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

  it("begin where the board's clock does, to the minute", () => {
    expect(nowText(NOW + 59_999)).toBe("Tue 2026-12-01, 12:00 UTC");
    expect(nowText(NOW + 60_000)).toBe("Tue 2026-12-01, 12:01 UTC");
  });
});
