import { beforeAll, describe, expect, it } from "vitest";
import type { Moderation } from "../../src/domain/moderation.ts";
import type { StoredPost } from "../../src/ports/store/index.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { aPost, aPublisher, aReport, aSubscription, T0 } from "../support/search/rows.ts";

/** What the command line, the operator's pages and MCP show and do alike. */
describe("moderation", () => {
  const board = useTestBoard({}, { idle: true });
  let moderation: Moderation;
  let posts = 0;
  beforeAll(async () => {
    moderation = board.board.services.moderation;
    for (const id of ["pub_a", "pub_b", "pub_c", "pub_e"])
      await board.board.store.publishers.insert(aPublisher(id));
  });
  /** A post of a publisher, so many milliseconds after the first one. */
  const post = async (publisherId: string, after: number, over: Partial<StoredPost> = {}) => {
    posts += 1;
    const [id, at] = [over.id ?? `post${posts}`, T0 + after];
    await board.board.store.posts.insert(aPost(id, { publisherId, createdAt: at, updatedAt: at, ...over }));
    return id;
  };
  const state = async (id: string) => (await board.board.store.posts.get(id))?.state;
  const report = (postId: string, over: object) =>
    board.board.store.reports.upsert(aReport(`rep_${postId}${JSON.stringify(over)}`, { postId, ...over }));

  it("shows the newest posts of two publishers together, page by page", async () => {
    const ids = [];
    for (const [n, publisher] of ["pub_a", "pub_b", "pub_a", "pub_b", "pub_a"].entries())
      ids.unshift(await post(publisher, Math.floor(n / 2)));
    await post("pub_c", 9);
    const page = async (before?: string) =>
      (await moderation.posts({ publishers: ["pub_a", "pub_b"] }, "", { before, limit: 2 })).map(
        ({ id }) => id,
      );
    expect(await page()).toEqual(ids.slice(0, 2));
    expect(await page(ids[1])).toEqual(ids.slice(2, 4));
    expect(await page(ids[3])).toEqual(ids.slice(4));
  });

  it("lists reported posts, those with most reporters first, and the latest acts", async () => {
    const ids = [await post("pub_a", 12), await post("pub_a", 11), await post("pub_a", 13)];
    for (const [n, id] of ids.entries())
      for (const reporter of ["key:pub_b", "key:pub_c", "key:pub_e"].slice(0, [2, 3, 1][n]))
        await report(id, { reporter });
    const order = [ids[1], ids[0], ids[2]];
    const listed = async (limit: number) => (await moderation.desk(limit)).posts.map(({ id }) => id);
    expect([await listed(9), await listed(2)]).toEqual([order, order.slice(0, 2)]);
    for (const reason of ["  first \r\n", "second"]) await moderation.act("hide", ids[0] ?? "", reason, T0);
    const acts = async (limit: number) => (await moderation.desk(limit)).acts.map(({ reason }) => reason);
    expect([await acts(2), await acts(1)]).toEqual([["second", "first"], ["second"]]);
  });

  it("lists all publishers since a time, newest first, in pages of 500", async () => {
    const { publishers } = board.board.store;
    const since = T0 + 1e9;
    const ids = Array.from({ length: 502 }, (_, n) => `pub_many${String(n).padStart(3, "0")}`);
    for (const [n, id] of ids.entries())
      await publishers.insert(aPublisher(id, { createdAt: since + Math.floor(n / 2) }));
    const listed: string[][] = [];
    for await (const rows of moderation.publishers(since + 1)) listed.push(rows.map(({ id }) => id));
    expect(listed.map(({ length }) => length)).toEqual([500, 0]);
    expect(listed.flat().map((id) => Math.floor(Number(id.slice(8)) / 2))).toEqual(
      Array.from({ length: 500 }, (_, n) => 250 - Math.floor(n / 2)),
    );
    const all = [];
    for await (const rows of moderation.publishers(since)) all.push(...rows.map(({ id }) => id));
    expect(all.sort()).toEqual(ids);
  });

  it("suspends publishers that are named, that wrote a post, and that registered since a time", async () => {
    const since = T0 + 2e9;
    for (const [id, createdAt] of [
      ["pub_named", T0],
      ["pub_writer", T0],
      ["pub_before", since - 1],
      ["pub_since", since],
    ] as const)
      await board.board.store.publishers.insert(aPublisher(id, { createdAt }));
    const ids = [await post("pub_writer", 14), "pub_none"];
    const meant = { publishers: ["pub_named"], since };
    const acted = await moderation.actOn("suspend", ids, "why", T0, "operator", meant);
    expect(acted).toEqual([
      ...["pub_named", "pub_writer"].map((subject) => ({ subject, failure: null })),
      { subject: "pub_none", failure: "publisher_not_found" },
      { subject: "pub_since", failure: null },
    ]);
    const before = await board.board.store.publishers.get("pub_before");
    expect(before?.suspendedAt).toBeNull();
  });

  it("finds posts by title, text, link and author, in any letter case", async () => {
    const by = async (words: string) => (await moderation.posts({}, words, { limit: 9 })).map(({ id }) => id);
    await board.board.store.publishers.insert(aPublisher("pub_d", { name: "Zither House" }));
    const sought = [
      await post("pub_c", 20, { title: "A ZITHER" }),
      await post("pub_c", 21, { body: "my zither" }),
      await post("pub_c", 22, { link: "https://zither.example/" }),
      await post("pub_d", 23),
    ];
    expect(await by(" Zither ")).toEqual(sought.reverse());
  });

  it("hides only what is shown, and restores only what is hidden, of all that publishers wrote", async () => {
    const [shown, hidden] = [await post("pub_e", 30), await post("pub_e", 31, { state: "hidden" })];
    const meant = { publishers: ["pub_e"] };
    const on = async (act: "hide" | "restore") =>
      (await moderation.actOn(act, [], "why", T0, "operator", meant)).map(({ subject }) => subject);
    expect([await on("hide"), await on("hide")]).toEqual([[shown], []]);
    expect((await on("restore")).sort()).toEqual([shown, hidden].sort());
    expect([await on("restore"), await state(shown), await state(hidden)]).toEqual([[], "active", "active"]);
  });

  it("removes a root and its replies once, and says of each whether it was there", async () => {
    const root = await post("pub_a", 40, { id: "root" });
    const reply = await post("pub_b", 41, { id: "root-reply", parentId: root });
    const acted = await moderation.actOn("remove", [root, reply, "nothing"], "why", T0);
    expect(acted).toEqual([
      { subject: root, failure: null },
      { subject: reply, failure: null },
      { subject: "nothing", failure: "post_not_found" },
    ]);
    await expect(moderation.examine(root)).rejects.toMatchObject({ code: "post_not_found" });
    const everything = moderation.actOn("remove", [], "why", T0, "operator", { since: 0 });
    await expect(everything).rejects.toThrow("Nothing was removed");
  });

  it("shows 600 characters of a text in a list, and all of it of one post", async () => {
    const id = await post("pub_a", 50, { title: "Long", body: "🎹".repeat(601) });
    const [listed] = await moderation.posts({}, "long", { limit: 1 });
    expect([listed?.body, (await moderation.examine(id)).posts[0]?.body]).toEqual([
      "🎹".repeat(600),
      "🎹".repeat(601),
    ]);
  });

  it("shows all that a post is judged by, and all that was done about it", async () => {
    const id = await post("pub_a", 61, {
      ...{ id: "judged", kind: "request", title: "Wanted: a harp", body: "Any.", updatedAt: T0 + 65 },
    });
    await post("pub_b", 62, { id: "judged-1", parentId: id, flags: [], link: null });
    await report(id, { reporter: "key:pub_b", reason: "scam", details: "Look.", createdAt: T0 + 62 });
    await moderation.act("hide", id, "why", T0 + 66, "operator");
    const iso = (after: number) => new Date(T0 + after).toISOString();
    const harp = {
      ...{ id, state: "hidden", kind: "request", title: "Wanted: a harp", body: "Any." },
      ...{ link: "https://example.org/bike", flags: ["many_links"], parent: null },
      ...{ publisher: "pub_a", name: "Name of pub_a", suspended: false, registered: iso(0) },
      ...{ created_at: iso(61), edited_at: iso(65) },
    };
    const said = { at: iso(62), by: "pub_b", reason: "scam", details: "Look.", before_last_edit: true };
    expect(await moderation.examine(id)).toEqual({
      posts: [{ ...harp, reports: [said] }],
      held: [],
      acts: [{ at: iso(66), action: "hide", subject: id, actor: "operator", reason: "why" }],
    });
    const [listed, reply] = [
      await moderation.posts({}, "a harp", { limit: 1 }),
      (await moderation.examine("judged-1")).posts[0],
    ];
    expect(listed).toEqual([{ ...harp, reports: [] }]);
    expect(reply).toMatchObject({ parent: id, link: null, flags: [], edited_at: null, reports: [] });
  });

  it("acts on all posts since a time, of everybody or of some", async () => {
    const since = T0 + 3e9;
    const before = await post("pub_a", 3e9 - 1);
    const [one, two] = [await post("pub_a", 3e9), await post("pub_b", 3e9 + 1)];
    const on = async (act: "hide" | "restore" | "remove", publishers?: string[]) => {
      const meant = { since, ...(publishers === undefined ? {} : { publishers }) };
      const acted = await moderation.actOn(act, [], "why", T0, "operator", meant);
      return acted.map(({ subject }) => subject).sort();
    };
    expect(await on("hide", ["pub_b"])).toEqual([two]);
    expect(await on("hide")).toEqual([one]);
    expect(await on("restore")).toEqual([one, two].sort());
    expect(await on("remove", ["pub_a"])).toEqual([one]);
    expect([await state(before), await state(one), await state(two)]).toEqual([
      "active",
      "removed",
      "active",
    ]);
  });

  it("says of each report whether it came before the last edit, and of at most a hundred", async () => {
    const id = await post("pub_a", 60, { updatedAt: T0 + 100 });
    await report(id, { reporter: "key:pub_b", createdAt: T0 + 99 });
    await report(id, { reporter: "addr:hash", createdAt: T0 + 100 });
    const [seen] = (await moderation.examine(id)).posts;
    expect(seen?.reports.map(({ by, before_last_edit }) => [by, before_last_edit]).sort()).toEqual([
      ["a visitor", false],
      ["pub_b", true],
    ]);
    for (let n = 0; n < 99; n += 1) await report(id, { reporter: `addr:${n}`, createdAt: T0 + 200 + n });
    expect((await moderation.examine(id)).posts[0]?.reports).toHaveLength(100);
  });

  it("tells of a post what was done about it and its author, the latest act first", async () => {
    const id = await post("pub_b", 70);
    await moderation.act("hide", id, "first", T0 + 1);
    await moderation.act("suspend", "pub_b", "second", T0 + 2);
    await moderation.act("restore", id, "third", T0 + 3);
    const { acts, posts: seen } = await moderation.examine(id);
    expect(acts.map(({ reason }) => reason)).toEqual(["third", "second", "first"]);
    expect(seen[0]).toMatchObject({ state: "active", suspended: true, edited_at: null });
    await moderation.act("reinstate", "pub_b", "fourth", T0 + 4);
    const after = await moderation.examine(id);
    expect(after.posts[0]).toMatchObject({
      suspended: false,
      publisher: "pub_b",
      name: aPublisher("pub_b").name,
    });
    expect(after.acts.map(({ reason }) => reason)).toEqual(["fourth", "third", "second", "first"]);
  });

  it("lists held posts, those that wait longest first, and not those that were hidden otherwise", async () => {
    const log = (subject: string, actor: "hold" | "reports") =>
      board.board.store.reports.log({ at: T0, action: "hide", subject, actor, reason: "" });
    const held = [];
    for (const n of [0, 1, 2]) held.push(await post("pub_c", 80 + n, { state: "hidden" }));
    for (const id of held) await log(id, "hold");
    await log(await post("pub_c", 79, { state: "hidden" }), "reports");
    expect((await moderation.desk(2)).held.map(({ id }) => id)).toEqual(held.slice(0, 2));
    expect((await moderation.desk(9)).held.map(({ id }) => id)).toEqual(held);
  });

  it("suspends a publisher with its subscriptions and sign-ins, and nobody else with it", async () => {
    const { subscriptions, signIns } = board.board.store;
    for (const publisherId of ["pub_a", "pub_c"]) {
      await subscriptions.insert(aSubscription(`sub_${publisherId}`, { publisherId }), 50);
      await subscriptions.insert(
        aSubscription(`sub_paused_${publisherId}`, { publisherId, active: false, inactiveReason: "paused" }),
        50,
      );
      await signIns.put({
        id: `RefreshToken:${publisherId}`,
        payload: JSON.stringify({ clientId: "client", iiat: 1 }),
        grantId: publisherId,
        publisherId,
        consumedAt: null,
        expiresAt: T0 + 1_000,
      });
    }
    const states = async () => {
      const rows = ["pub_a", "pub_c"].map(async (id) => [
        ...(await subscriptions.ofPublisher(id))
          .map(({ inactiveReason }) => inactiveReason ?? "active")
          .sort(),
        (await signIns.renewable(id, T0, 9)).length,
      ]);
      return Promise.all(rows);
    };
    await moderation.act("suspend", "pub_a", "why", T0);
    expect(await states()).toEqual([
      ["paused", "publisher_suspended", 0],
      ["active", "paused", 1],
    ]);
    for (const id of ["pub_a", "pub_c"]) await moderation.act("reinstate", id, "why", T0);
    expect(await states()).toEqual([
      ["active", "paused", 0],
      ["active", "paused", 1],
    ]);
    await expect(moderation.act("suspend", "pub_none", "why", T0)).rejects.toMatchObject({
      code: "publisher_not_found",
    });
  });
});
