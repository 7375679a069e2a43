import { beforeAll, describe, expect, it } from "vitest";
import { LAST_BACKUP } from "../../src/domain/board/metrics.ts";
import { call, register } from "../support/boards/client.ts";
import { aFeedOf } from "../support/boards/feed-source.ts";
import { insertMany } from "../support/boards/many-posts.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { OPERATOR_KEY, Operator } from "../support/clients/operator.ts";
import { aPublisher, aSubscription } from "../support/search/rows.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
let now = Date.UTC(2026, 10, 20, 12);
const board = useTestBoard({ OPERATOR_KEY, TRUST_PROXY: "1" }, { clock: () => now });
const author = usePublisher(board, "Author");
let operator: Operator;
beforeAll(async () => {
  operator = await Operator.signIn(board, OPERATOR_KEY);
});
const moderation = () => board.board.services.moderation;
/** The part of a page between two texts, without its tags. */
const between = (page: string, from: string, to = "</section>") =>
  (page.split(from)[1]?.split(to)[0] ?? "").replace(/<[^>]+>/g, " ");

describe("a session of the operator", () => {
  it("lasts eight hours, in the browser as on the board", async () => {
    const here = await Operator.signIn(board, OPERATOR_KEY);
    expect(here.setCookie).toContain("Max-Age=28800;");
    now += 8 * HOUR - 1;
    expect(await here.page("/operate")).toContain("Sign out");
    now += 1;
    expect(await here.page("/operate")).toContain('name="key"');
    operator = await Operator.signIn(board, OPERATOR_KEY);
  });

  it("can be begun again a minute after five wrong keys, and not sooner", async () => {
    const from = { "x-forwarded-for": "203.0.113.60" };
    const attempt = async (key: string) => {
      const { status, headers } = await operator.ask("/operate", new URLSearchParams({ key }), from);
      return [status, headers.get("retry-after")];
    };
    for (let n = 0; n < 5; n += 1) expect(await attempt("guess")).toEqual([403, null]);
    expect(await attempt(OPERATOR_KEY)).toEqual([429, "60"]);
    now += MINUTE - 1_000;
    expect(await attempt(OPERATOR_KEY)).toEqual([429, "1"]);
    now += 1_000;
    expect(await attempt(OPERATOR_KEY)).toEqual([303, null]);
  });
});

describe("a form of the operator", () => {
  it.each([
    ["without a reason", { reason: " " }],
    ["without a tick", { id: "" }],
    ["with an act that there is not", { do: "toString" }],
  ])("does nothing %s, and says so", async (_name, fields) => {
    const { id } = await write(board, author.key);
    const status = await operator.act({ do: "hide", id, reason: "x", ...fields });
    expect([status, (await call(board, `GET /posts/${id}`)).status]).toEqual([400, 200]);
  });

  it("acts on up to 500 posts at once, with up to 500 characters of a reason", async () => {
    const ids = await insertMany(board, Array(501).fill({ kind: "offer" }));
    await operator.act({ do: "hide listed", listed: ids.join(" "), reason: "r".repeat(501) });
    const state = async (id = "") => (await board.board.store.posts.get(id))?.state;
    expect([await state(ids[499]), await state(ids[500])]).toEqual(["hidden", "active"]);
    const acts = await moderation().history(null, 1_000);
    const hidden = acts.filter(({ action, subject }) => action === "hide" && ids.includes(subject));
    expect(hidden).toHaveLength(500);
    expect(acts[0]?.reason).toBe("r".repeat(500));
    // The first page names the newest hundred.
    expect((await operator.page("/operate")).match(/: hide /g)).toHaveLength(100);
    const shown = (page: string) => page.match(/type="checkbox" name="id"/g)?.length ?? 0;
    const full = await operator.page("/operate/posts?hidden=yes&with=notice&since=1+hour+ago");
    const [, on = ""] = /<p><a href="([^"]+)">Earlier ones<\/a><\/p>/.exec(full) ?? [];
    expect(on).toMatch(
      /^\/operate\/posts\?since=1\+hour\+ago&amp;with=notice&amp;hidden=yes&amp;before=\w+$/,
    );
    expect([shown(full), shown(await operator.page(on.replaceAll("&amp;", "&")))]).toEqual([500, 0]);
    await moderation().actOn("restore", ids, "fine", now);
  });
});

describe("the operator's page of", () => {
  it("posts: those that are hidden alone, what was asked, and all that is to be known of one", async () => {
    const own = await register(board, "Weaver");
    const words = `${"w".repeat(200)} ${"v".repeat(39)}v`;
    const shown = await write(board, own.key, { title: "Loom one", body: words });
    const hidden = await write(board, own.key, { title: "Loom two", body: words.slice(0, -1) });
    await moderation().act("hide", hidden.id, "test", now);
    await call(board, "POST /reports", { post_id: shown.id, reason: "spam" });
    now += HOUR;
    const edited = new Date(now).toISOString().slice(0, 16).replace("T", " ");
    await call(board, `PATCH /posts/${shown.id}`, { title: "Loom three" }, own);
    now += HOUR;
    await call(board, "POST /reports", { post_id: shown.id, reason: "scam" }, author);
    const both = await operator.page("/operate/posts?with=loom&since=3+hours+ago");
    expect(both).toMatch(/value="loom"[\s\S]*value="3 hours ago"/);
    expect(both).toMatch(/name="hidden" value="yes"> Only/);
    expect(both).toContain(`dir="auto">${"w".repeat(200)}…<`);
    expect(both).toContain(`dir="auto">${words.slice(0, -1)}<`);
    expect(both).toMatch(/<span class="warning">hidden<\/span>/);
    expect(both).toContain(`<span>edited ${edited} UTC</span>`);
    const one = await operator.page("/operate/posts?with=loom&hidden=yes");
    expect(one).toMatch(/name="hidden" value="yes" checked>/);
    expect([one.includes(hidden.id), one.includes(shown.id)]).toEqual([true, false]);
    const judged = between(await operator.page(`/operate/posts/${shown.id}`), "<h2>2 reports</h2>");
    expect(judged.match(/before the last edit/g)).toHaveLength(1);
    expect(judged).toMatch(/spam\s*,[^,]*, by a visitor\s+before the last edit/);
    expect(between(await operator.page("/operate"), `/posts/${shown.id}"`, "</li>")).toMatch(
      /2 reports: (spam, scam|scam, spam)/,
    );
  });

  it.each([
    ["posts of a time that nobody can read", "/operate/posts?since=lately", 400],
    ["publishers of one, too", "/operate/publishers?since=lately", 400],
    ["a post that there is not", "/operate/posts/nobodyhas1", 404],
    ["posts before one that there is not", "/operate/posts?before=nobodyhas1", 404],
  ])("%s says what is wrong: %s", async (_name, path, status) => {
    const answer = await operator.ask(path);
    expect([answer.status, await answer.text()]).toEqual([
      status,
      expect.stringContaining("Nothing was done"),
    ]);
  });

  it("publishers: all that registered or those since a time, with what they are, 500 a page", async () => {
    const proved = await register(board, "Proved");
    await board.board.store.publishers.update(proved.id, { verifiedAt: now });
    await write(board, proved.key);
    now += 2 * HOUR;
    const late = await register(board, "Late");
    await moderation().act("suspend", late.id, "test", now);
    const told = (page: string, id: string) =>
      between(page, `value="${id}"`, "</li>")
        .replace(/^\W+|\s+/g, " ")
        .trim();
    const all = await operator.page("/operate/publishers");
    expect(told(all, proved.id)).toMatch(/^Proved pub_\w+ registered 2026-\S+ \S+ UTC 1 post verified$/);
    expect(told(all, late.id)).toMatch(/^Late pub_\w+ registered 2026-\S+ \S+ UTC 0 posts suspended$/);
    expect(all).toContain(author.id);
    const since = await operator.page("/operate/publishers?since=1+hour+ago");
    expect([since.includes(late.id), since.includes(proved.id)]).toEqual([true, false]);
    expect(since).not.toContain("Earlier ones");
    for (let n = 0; n < 499; n += 1)
      await board.board.store.publishers.insert(aPublisher(`pub_${n}`, { createdAt: now }));
    const full = await operator.page("/operate/publishers?since=1+hour+ago");
    expect(full.match(/name="id"/g)).toHaveLength(500);
    const [, on = ""] = /href="(\S+)">Earlier ones/.exec(full) ?? [];
    expect(on).toContain("?since=1+hour+ago&amp;before=pub_");
    expect((await operator.page(on.replaceAll("&amp;", "&"))).match(/name="id"/g)).toBeNull();
  });

  it("health: feeds and why they fail, 50 receivers that fail, and times as times", async () => {
    const { feeds } = board.board.syndication;
    const source = { url: "https://source.example/feed.xml", publisherId: author.id };
    const [still, ill] = [
      aFeedOf({ ...source, id: "feed_a", name: "Still", paused: true }),
      aFeedOf({ ...source, id: "feed_b", name: "Ill" }),
    ];
    const state = await feeds.state("feed_b");
    // The minute's job leaves it alone.
    const failed = { failures: 2, lastError: "http_500", nextAt: now + DAY };
    await feeds.keepState("feed_b", { ...state, ...failed });
    await feeds.change(() => [still, ill]);
    for (let n = 0; n < 51; n += 1) {
      const ended = { inactiveReason: n === 0 ? ("webhook_failing" as const) : null };
      const failing = { publisherId: author.id, failures: 1, failingSince: now - DAY, ...ended };
      await board.board.store.subscriptions.insert(
        aSubscription(`sub_${n}`, { ...failing, webhookUrl: "https://r.example/hook" }),
        100,
      );
    }
    await board.board.store.settings.set(LAST_BACKUP, String(now - DAY));
    const health = await operator.page("/operate/health");
    const rows = (heading: string) =>
      (health.split(`<h2>${heading}</h2>`)[1]?.split("</section>")[0] ?? "")
        .split("<tr>")
        .slice(1)
        .map((row) => [...row.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, cell]) => cell));
    expect(rows("Feeds")).toEqual([
      ["feed_a", "Still", "paused", ""],
      ["feed_b", "Ill", "", "failed 2 times: http_500"],
    ]);
    const failing = rows("Deliveries that fail");
    expect(failing).toHaveLength(50);
    const since = `since ${new Date(now - DAY).toISOString()}`;
    expect(failing.map((row) => row.slice(2))).toEqual(
      expect.arrayContaining(
        ["", "webhook_failing"].map((ended) => ["r.example", "1 failure", since, ended]),
      ),
    );
    expect(rows("Figures")).toContainEqual([
      "When `backup` last succeeded; NaN for never.",
      new Date(now - DAY).toISOString(),
    ]);
  });
});

describe("an agent that moderates", () => {
  const bot = useClient(board, "/mcp/operator", { key: OPERATOR_KEY });
  const listed = async (args: object) => (await bot.call("list_reports", { ...args })).text;

  it("lists 20 posts, or 1 to 100 as it asks; of a publisher, or of all since a time", async () => {
    const { id } = author;
    const found = async (args: object) => (await listed(args)).match(/"A notice"/g)?.length ?? 0;
    await insertMany(board, Array(101).fill({ kind: "offer" }));
    expect(await found({ since: "1 minute ago" })).toBe(20);
    expect(await found({ since: "1 minute ago", limit: 100 })).toBe(100);
    expect(await found({ publisher: id, limit: 1 })).toBe(1);
    for (const limit of [0, 101]) expect(await listed({ limit })).toContain("limit");
    for (const post of [await write(board, author.key), await write(board, author.key)])
      await call(board, "POST /reports", { post_id: post.id, reason: "spam" });
    expect((await listed({ limit: 1 })).length).toBeLessThan((await listed({})).length);
  });

  it("acts on what it names by address, at most a hundred, and reads each reason of reports once", async () => {
    const own = await register(board, "Named");
    const post = await write(board, own.key);
    for (const key of [undefined, author.key, (await register(board)).key])
      await call(
        board,
        "POST /reports",
        { post_id: post.id, reason: "scam" },
        key === undefined ? {} : { key },
      );
    const page = between(await operator.page("/operate"), `/posts/${post.id}"`, "</li>");
    expect(page).toMatch(/3 reports: scam\s/);
    const act = async (args: object) =>
      (await bot.call("moderate", { act: "suspend", reason: "x", ...args })).text;
    expect(await act({ ids: [`${board.url}/publishers/${own.id}`] })).toContain(`done: ${own.id}`);
    expect(await act({ act: "reinstate", ids: [post.url] })).toContain(`done: ${own.id}`);
    expect(await act({ ids: Array(101).fill(own.id) })).toContain("ids");
    expect(await act({ ids: [own.id], reason: "r".repeat(501) })).toContain("reason");
    expect((await call(board, "GET /publishers/me", undefined, own)).body.data.suspended).toBe(false);
  });
});
