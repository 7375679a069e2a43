import { describe, expect, it } from "vitest";
import type { StoredPublisher, StoredSubscription } from "../../src/ports/store/index.ts";
import { startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { matched } from "../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { aSubscription } from "../support/search/rows.ts";

describe("routes of subscriptions", () => {
  const board = useTestBoard();
  const me = usePublisher(board);
  const subscribe = async (fields: object = {}) =>
    (await call(board, "POST /subscriptions", { query: { q: "piano" }, ...fields }, me)).body.data;

  it("list the caller's own, oldest first, read one, and delete one for good", async () => {
    const owner = await register(board, "Owner");
    const ids: string[] = [];
    for (const label of ["a", "b", "c"]) {
      const { body } = await call(board, "POST /subscriptions", { query: { tags: label }, label }, owner);
      ids.push(body.data.id);
    }
    const list = async () => (await call(board, "GET /subscriptions", undefined, owner)).body;
    const { data, next_cursor: cursor } = await list();
    expect(data.map((item: { id: string }) => item.id)).toEqual(ids);
    expect(cursor).toBeNull();
    const one = await call(board, `GET /subscriptions/${ids[1]}`, undefined, owner);
    expect(one.body.data).toEqual(data[1]);
    const gone = await call(board, `DELETE /subscriptions/${ids[1]}`, undefined, owner);
    expect(gone.body.data).toEqual({ id: ids[1], deleted: true });
    for (const request of ["GET", "DELETE"] as const) {
      const again = await call(board, `${request} /subscriptions/${ids[1]}`, undefined, owner);
      expect(again.body.error.code).toBe("subscription_not_found");
    }
    expect((await list()).data.map((item: { id: string }) => item.id)).toEqual([ids[0], ids[2]]);
  });

  it("give 50 matches at once unless asked for 1 to 100", async () => {
    const own = await register(board, "Reader");
    const { id } = (await call(board, "POST /subscriptions", { query: { tags: "many" } }, own)).body.data;
    await writeMany(
      board,
      Array.from({ length: 101 }, () => ({ kind: "offer" as const, tags: ["many"] })),
    );
    const pending = (query = "") => call(board, `GET /subscriptions/${id}/pending${query}`, undefined, own);
    const counts = async (query?: string) => (await pending(query)).body.data.length;
    expect(
      await eventually(
        () => counts("?limit=100"),
        (count) => count === 100,
      ),
    ).toBe(100);
    expect([await counts(), await counts("?limit=1")]).toEqual([50, 1]);
    for (const limit of [0, 101])
      expect((await pending(`?limit=${limit}`)).body.error.code).toBe("invalid_query");
  });

  it("leave out matches of somebody suspended, say where a page is full, and give back a cursor without news", async () => {
    const [own, author] = [await register(board, "Patient"), await register(board, "Suspended later")];
    const { id } = (await call(board, "POST /subscriptions", { query: { tags: "passed" } }, own)).body.data;
    const ids: string[] = [];
    for (const { key } of [author, author, me]) ids.push((await write(board, key, { tags: ["passed"] })).id);
    const page = async (query: string) => {
      const path = `/subscriptions/${id}/pending?${query}`;
      const { data, meta, next_cursor } = (await call(board, `GET ${path}`, undefined, own)).body;
      return { ids: data.map((post: { id: string }) => post.id), note: meta.note ?? "", cursor: next_cursor };
    };
    const all = await eventually(
      () => page("limit=3"),
      (found) => found.ids.length === 3,
    );
    expect([all.ids, all.note]).toEqual([ids, expect.stringContaining("This page is full")]);
    await board.board.services.moderation.act("suspend", author.id, "test", Date.now());
    const caller = (await board.board.store.publishers.get(own.id)) as StoredPublisher;
    const read = (at: number, cursor?: string) => {
      const asked = { cursor, since: new Date(at).toISOString(), limit: 9 };
      return board.board.services.subscriptions.pending(id, caller, asked, Date.now());
    };
    const since = async (...asked: Parameters<typeof read>) =>
      (await read(...asked)).matches.map((match) => match.id);
    // Whoever waits for news goes on waiting where there is none, and not where none can come.
    const hasNews = async (...asked: Parameters<typeof read>) => (await read(...asked)).hasNews;
    expect([await since(0), await since(Date.now() + 60_000)]).toEqual([ids.slice(2), []]);
    const { cursor, ...left } = await page("limit=2");
    expect([await since(0, cursor), await hasNews(0), await hasNews(0, cursor)]).toEqual([[], true, false]);
    expect(left).toEqual({ ids: ids.slice(2), note: "" });
    expect(await page(`limit=2&cursor=${cursor}`)).toEqual({ ids: [], note: "", cursor });
    await call(board, `PATCH /subscriptions/${id}`, { active: false }, own);
    expect(await hasNews(0, cursor)).toBe(true);
    expect((await page(`limit=2&cursor=${cursor}`)).note).toBe(
      "The subscription is inactive (`paused`): new posts are not matched until it is active again.",
    );
    // Without its webhook it is matched all the same.
    await board.board.store.subscriptions.update(id, { inactiveReason: "webhook_gone" });
    expect(await hasNews(0, cursor)).toBe(false);
    expect((await page(`limit=2&cursor=${cursor}`)).note).toBe("");
  });

  it("tell of the next date of a series, also where a later one was written first", async () => {
    const waiting = await startBoard({}, { idle: true });
    const own = await register(waiting, "Organiser");
    const { id } = (await call(waiting, "POST /subscriptions", { query: { q: "yoga" } }, own)).body.data;
    for (const day of ["11", "04", "18"]) {
      const date = { kind: "event", starts_at: `2099-03-${day}T18:00:00Z`, url: "https://example.org/yoga" };
      await write(waiting, own.key, { title: "Yoga", ...date });
    }
    waiting.board.start();
    await matched(waiting);
    const { body } = await call(waiting, `GET /subscriptions/${id}/pending`, undefined, own);
    const starts = body.data.map(({ starts_at }: { starts_at: string }) => starts_at);
    expect(starts).toEqual(["2099-03-04T18:00:00.000Z"]);
    await waiting.stop();
  });

  it("tell of a series once: its next date; of each date where the window is of two weeks at most", async () => {
    const START = Date.parse("2099-03-04T18:00:00Z");
    const WEEK = 7 * 86_400_000;
    const on = (at: number) => new Date(at).toISOString();
    const query = { q: "yoga", after: on(START) };
    const all = await subscribe({ query });
    const few = await subscribe({ query: { ...query, before: on(START + 2 * WEEK) } });
    const many = await subscribe({ query: { ...query, before: on(START + 2 * WEEK + 1_000) } });
    const dates = async (title: string, places: string) => {
      for (const n of [0, 1, 2])
        await write(board, me.key, {
          title,
          kind: "event",
          starts_at: on(START + n * WEEK),
          url: "https://example.org/yoga",
          location: { name: places },
        });
    };
    await dates("Yoga", "Studio A");
    await dates("Yoga", "Studio B");
    await dates("Yoga for two", "Studio A");
    const starts = async ({ id }: { id: string }, count: number) => {
      const { body } = await eventually(
        () => call(board, `GET /subscriptions/${id}/pending`, undefined, me),
        (answer) => answer.body.data.length >= count,
      );
      return body.data.map((post: { starts_at: string }) => post.starts_at).sort();
    };
    expect(await starts(few, 9)).toHaveLength(9);
    expect(await starts(all, 3)).toHaveLength(3);
    expect(await starts(many, 3)).toHaveLength(3);
    // Another window, and it is told otherwise from then on.
    const change = (id: string, before: number) =>
      call(board, `PATCH /subscriptions/${id}`, { query: { ...query, before: on(before) } }, me);
    await change(few.id, START + 3 * WEEK);
    await change(many.id, START + 2 * WEEK);
    await dates("Yoga for three", "Studio A");
    expect(await starts(many, 6)).toHaveLength(6);
    expect(await starts(few, 10)).toHaveLength(10);
    const later = [on(START + WEEK), on(START + 2 * WEEK)];
    for (const path of [`/subscriptions/${all.id}/pending`, "/publishers/me/inbox"]) {
      const { data } = (await call(board, `GET ${path}`, undefined, me)).body;
      const posts = data.map((item: { post?: object }) => item.post ?? item);
      expect(posts.find((post: { starts_at: string }) => post.starts_at === on(START))).toMatchObject({
        also_on: { starts_at: later, more: 0 },
      });
    }
  });

  it("count waiting matches in `pending`, alone and in the list", async () => {
    const { id } = await subscribe({ query: { tags: "waiting" } });
    const { id: another } = await subscribe({ query: { tags: "waiting,longer" } });
    for (const tag of ["waiting", "longer", "waiting", "waiting"])
      await write(board, me.key, { tags: [tag] });
    const read = async (of: string) =>
      (await call(board, `GET /subscriptions/${of}`, undefined, me)).body.data;
    expect(
      await eventually(
        () => read(another),
        ({ pending }) => pending === 4,
      ),
    ).toMatchObject({ pending: 4 });
    const subscription = await read(id);
    expect(subscription).toMatchObject({ pending: 3, last_matched_at: expect.any(String), failures: 0 });
    const { data } = (await call(board, "GET /subscriptions", undefined, me)).body;
    const counts = new Map(data.map((one: { id: string; pending: number }) => [one.id, one.pending]));
    expect([counts.get(id), counts.get(another)]).toEqual([3, 4]);
  });

  it("of a host are paused and deleted by their publisher, and changed by the host alone", async () => {
    const own = await register(board, "Hosted");
    const row = aSubscription("sub_of_host", { publisherId: own.id, event: "post.matched", label: null });
    await board.board.store.subscriptions.insert(row, 50);
    const ask = (request: "POST" | "PATCH" | "DELETE", body?: object, path = "") =>
      call(board, `${request} /subscriptions/${row.id}${path}`, body, own);
    const hint =
      "A host subscribed to this by MCP Events: it chose the secret, and its webhook takes events only. Pause or delete it here; the host changes the rest.";
    const codes = [];
    for (const answer of [
      await ask("PATCH", { query: { q: "violin" } }),
      await ask("PATCH", { webhook_url: null }),
      await ask("POST", {}, "/rotate-secret"),
      await ask("POST", {}, "/test"),
      await ask("POST", {}, "/verify-webhook"),
    ])
      codes.push(`${answer.body.error?.code}: ${answer.body.error?.hint}`);
    expect(codes).toEqual(Array(5).fill(`no_webhook: ${hint}`));
    const paused = { active: false, inactive_reason: "paused", label: "Mine" };
    expect((await ask("PATCH", { active: false, label: "Mine" })).body.data).toMatchObject(paused);
    expect((await ask("DELETE")).status).toBe(200);
  });

  it("are fifty at most that are active, also where one that was paused is to go on", async () => {
    const many = await register(board, "Fifty");
    const save = async (n: number) =>
      (await call(board, "POST /subscriptions", { query: { q: `reed ${n}` } }, many)).body;
    const paused = (await save(0)).data.id;
    const turn = async (active: boolean) =>
      (await call(board, `PATCH /subscriptions/${paused}`, { active }, many)).status;
    expect(await turn(false)).toBe(200);
    for (let n = 1; n < 50; n += 1) await save(n);
    const codeOf = async (n: number) => (await save(n)).error?.code;
    expect([await turn(true), await codeOf(50), await turn(false), await codeOf(51)]).toEqual([
      200,
      "too_many_subscriptions",
      200,
      undefined,
    ]);
    expect(await turn(true)).toBe(409);
    // One that goes on does so as if its webhook had never failed.
    const failed = {
      failures: 3,
      failingSince: 1,
      active: false,
      inactiveReason: "webhook_failing",
    } as const;
    await board.board.store.subscriptions.update(paused, failed);
    await call(board, `PATCH /subscriptions/${(await save(49)).data.id}`, { active: false }, many);
    const { body } = await call(board, `PATCH /subscriptions/${paused}`, { active: true }, many);
    expect(body.data).toMatchObject({ active: true, inactive_reason: null, failures: 0 });
    expect((await board.board.store.subscriptions.get(paused))?.failingSince).toBeNull();
  });

  it("rest while their publisher is suspended, and then go on as far as fifty may be active", async () => {
    const { id: publisherId } = await register(board, "Suspended");
    const { subscriptions } = board.board.store;
    const { moderation } = board.board.services;
    const inactive = [...Array(49).fill(null), "paused", "webhook_gone", "webhook_failing"] as const;
    for (const [n, inactiveReason] of inactive.entries()) {
      const state = { active: inactiveReason === null, inactiveReason };
      await subscriptions.insert(aSubscription(`sub_rests${n}`, { publisherId, ...state }), 50);
    }
    const counts = async () => {
      const rows = await subscriptions.ofPublisher(publisherId);
      const states = rows.map(({ active, inactiveReason }) => (active ? "active" : inactiveReason));
      return ["active", "paused", "publisher_suspended"].map(
        (state) => states.filter((one) => one === state).length,
      );
    };
    await moderation.act("suspend", publisherId, "test", Date.now());
    expect(await counts()).toEqual([0, 1, 51]);
    await moderation.act("reinstate", publisherId, "test", Date.now());
    expect(await counts()).toEqual([50, 2, 0]);
  });

  it("are the same query in another order or letter case, with or without a webhook, and no host's", async () => {
    const own = await register(board, "Twice");
    const query = { q: "grand piano", tags: "music,used", radius_km: 30, near: "52.37,4.9" };
    const save = async (fields: object, of: object = {}) =>
      (await call(board, "POST /subscriptions", { query: { ...query, ...of }, ...fields }, own)).body.data;
    const { id, query: kept } = await save({});
    const { store } = board.board;
    const of = (over: Partial<StoredSubscription>) =>
      aSubscription(`sub_${over.event ?? "hooked"}`, { publisherId: own.id, label: null, ...over });
    await store.subscriptions.insert(of({ event: "post.matched", query: { ...kept, q: "violin" } }), 50);
    const webhookUrl = "https://hooks.example/x";
    await store.subscriptions.insert(of({ webhookUrl, query: { ...kept, q: "harp" } }), 50);
    const idOf = async (fields: object, words: object) => (await save(fields, words)).id;
    const again = async () => {
      const { status, body } = await call(board, "POST /subscriptions", { query }, own);
      return [status, body.data.id, body.data.active, body.meta.note];
    };
    const note = (done: string) =>
      `You have this query already. ${done} To change, pause or end it: PATCH or DELETE /subscriptions/${id}.`;
    expect(await again()).toEqual([200, id, true, note("Nothing was changed.")]);
    await call(board, `PATCH /subscriptions/${id}`, { active: false }, own);
    expect(await again()).toEqual([200, id, true, note("It was paused and goes on.")]);
    const active = (inactiveReason: "webhook_gone" | null) =>
      board.board.store.subscriptions.update(id, { active: inactiveReason === null, inactiveReason });
    await active("webhook_gone");
    expect(await again()).toEqual([200, id, false, note("Nothing was changed.")]);
    await active(null);
    expect(await idOf({}, { tags: "used,music", q: " Grand  PIANO" })).toBe(id);
    expect(await idOf({}, { q: "harp" })).toBe("sub_hooked");
    expect(await idOf({ webhook_url: webhookUrl }, { q: "harp" })).toBe("sub_hooked");
    for (const [fields, words] of [
      [{ breadth: "wide" }, {}],
      [{ changes: false }, {}],
      [{}, { radius_km: 31 }],
      [{}, { tags: "music" }],
      [{}, { kind: "offer" }],
      [{}, { q: "piano grand" }],
      [{}, { q: "violin" }],
    ])
      expect(
        (await save(fields as object, words as object)).secret,
        JSON.stringify([fields, words]),
      ).toBeDefined();
  });

  it("keep how wide they are, which is `close` unless said, and say so", async () => {
    const saved = await subscribe();
    expect(saved).toEqual({
      ...{ id: expect.stringMatching(/^sub_/), label: null, breadth: "close", changes: true },
      query: {
        ...{ q: "piano", include_replies: false, include_expired: false, include_syndicated: true },
      },
      describes: 'Posts about "piano"',
      ...{ webhook_url: null, webhook_verified: false },
      poll_url: `${board.url}/api/v1/subscriptions/${saved.id}/pending`,
      ...{ secret: expect.stringMatching(/^whsec_/), active: true, inactive_reason: null, event: null },
      ...{ expires_at: null, created_at: expect.stringMatching(/Z$/), last_matched_at: null },
      ...{ pending: 0, failures: 0 },
    });
    const wide = await subscribe({ breadth: "wide" });
    const described = 'Posts about "piano", with all that may answer (wide)';
    expect(wide).toMatchObject({ breadth: "wide", describes: described });
    const edit = (fields: object) => call(board, `PATCH /subscriptions/${saved.id}`, fields, me);
    expect((await edit({ breadth: "wide" })).body.data).toMatchObject({
      breadth: "wide",
      describes: described,
    });
    expect((await edit({ changes: false })).body.data).toMatchObject({ breadth: "wide", changes: false });
    expect((await edit({ label: " Pianos\u0000 " })).body.data).toMatchObject({
      ...{ breadth: "wide", changes: false, label: "Pianos" },
    });
    expect((await edit({ label: null, changes: true })).body.data).toMatchObject({
      ...{ label: null, changes: true },
    });
    expect((await edit({ breadth: "close" })).body.data.breadth).toBe("close");
    expect((await edit({ breadth: "broad" })).body.error.code).toBe("invalid_request");
  });

  it("change by what is sent alone, and say what they look for then", async () => {
    const { secret: _, ...saved } = await subscribe({ query: { q: "lyre strings" }, label: "Lyres" });
    const edit = async (fields: object) =>
      (await call(board, `PATCH /subscriptions/${saved.id}`, fields, me)).body;
    expect((await edit({ label: "Mine" })).data).toEqual({ ...saved, label: "Mine" });
    const changed = {
      ...{ ...saved, label: "Mine", describes: 'Offers about "lyra"' },
      query: expect.objectContaining({ q: "lyra", kind: "offer" }),
    };
    const { data, meta } = await edit({ query: { q: "lyra", kind: "offer" } });
    expect([data, meta.note]).toEqual([changed, undefined]);
    expect((await edit({ label: null })).data).toEqual({ ...changed, label: null });
    expect((await edit({})).data).toEqual({ ...changed, label: null });
    expect((await edit({ query: { q: "?!" } })).meta.note).toContain("`q` holds no word");
  });

  it("to a thread say once that they are of replies", async () => {
    const { describes } = await subscribe({ query: { thread: "7fKm3Qx9Rt", include_replies: true } });
    expect(describes).toBe("Replies, in thread 7fKm3Qx9Rt");
  });

  it("tell with each match how well it answers", async () => {
    const owner = await register(board, "Reader");
    const save = async (query: object) =>
      (await call(board, "POST /subscriptions", { query }, owner)).body.data.id as string;
    const byWords = await save({ q: "zither lessons" });
    const byTags = await save({ tags: "zither" });
    await write(board, me.key, { title: "Zither", body: "Lessons for all ages.", tags: ["music"] });
    await write(board, me.key, { title: "Zither lessons", tags: ["zither"] });
    const pending = async (id: string) =>
      (await call(board, `GET /subscriptions/${id}/pending`, undefined, owner)).body.data;
    const told = await eventually(
      () => pending(byWords),
      (posts) => posts.length === 2,
    );
    expect(told.map(({ relevance }: { relevance: number }) => relevance)).toEqual([0.7, 0.9]);
    const [byTag] = await eventually(
      () => pending(byTags),
      (posts) => posts.length === 1,
    );
    expect(byTag.relevance).toBe(1);
    const inbox = (await call(board, "GET /publishers/me/inbox", undefined, owner)).body.data;
    const relevances = inbox.map((item: { subscription_id: string; post: { relevance: number } }) => [
      item.subscription_id === byTags ? "tags" : "words",
      item.post.relevance,
    ]);
    expect(relevances.sort()).toEqual([
      ["tags", 1],
      ["words", 0.7],
      ["words", 0.9],
    ]);
  });
});
