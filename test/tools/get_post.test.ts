import { describe, expect, it } from "vitest";
import { Moderation } from "../../src/domain/moderation.ts";
import { call, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

describe("get_post", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const get = (id: string, as: { key?: string } = {}) => call(board, `GET /posts/${id}`, undefined, as);
  const board = useTestBoard({ REPORTS_TO_HIDE: "1" }, { clock: () => now });
  const me = usePublisher(board);

  it("answers every field in the specified form", async () => {
    const sent = {
      title: "Choir rehearsal",
      body: "Open to all voices.",
      kind: "event",
      tags: ["music"],
      location: { name: "Leipzig", lat: 51.34, lng: 12.37 },
      timezone: "Europe/Berlin",
      source_url: "https://choir.example/calendar",
      metadata: { free: true, seats: 12, nested: { a: [1, null] } },
    };
    const dates = { starts_at: "2026-12-01T18:30:00+01:00", ends_at: "2026-12-01T20:00:00+01:00" };
    const url = "https://choir.example/open";
    const { id, publisher } = await write(board, me.key, { ...sent, ...dates, url });
    const { body } = await get(id);
    expect(body.data).toEqual({
      ...sent,
      id,
      url: `${board.url}/p/${id}`,
      link: url,
      starts_at: "2026-12-01T17:30:00.000Z",
      ends_at: "2026-12-01T19:00:00.000Z",
      expires_at: "2026-12-02T19:00:00.000Z",
      syndicated: false,
      retrievals: 0,
      parent_id: null,
      thread_url: null,
      reply_count: 0,
      last_reply_at: null,
      flags: [],
      created_at: "2026-11-20T12:00:00.000Z",
      updated_at: "2026-11-20T12:00:00.000Z",
      publisher,
      related: [],
      replies: [],
    });
    expect(publisher).toEqual({
      id: expect.stringMatching(/^pub_[2-9A-HJ-NP-Za-km-z]{14}$/),
      name: "Tester",
      description: null,
      url: null,
      domain: null,
      verified: false,
      first_seen: "2026-11-20T12:00:00.000Z",
      post_count: 1,
      crier_url: `${board.url}/publishers/${publisher.id}`,
    });
    expect(body.meta.content_notice).toMatch(/third parties/);
  });

  it("leaves out the characters of the body that a caller has read, each as one", async () => {
    const { id } = await write(board, me.key, { body: "🚲🚲 a🚲b" });
    const bodies = [0, 1, 2, 4, 9].map(
      async (from) => (await call(board, `GET /posts/${id}?body_from=${from}`)).body.data.body,
    );
    expect(await Promise.all(bodies)).toEqual(["🚲🚲 a🚲b", "🚲 a🚲b", " a🚲b", "🚲b", ""]);
  });

  it("shows the first 20 replies, oldest first", async () => {
    const root = await write(board, me.key, { kind: "thread" });
    const ids: string[] = [];
    for (let n = 0; n < 22; n += 1) {
      now += 1_000;
      ids.push((await write(board, me.key, { parent_id: root.id })).id);
    }
    const { data } = (await get(root.id)).body;
    expect(data.replies.map((reply: { id: string }) => reply.id)).toEqual(ids.slice(0, 20));
    expect(data.reply_count).toBe(22);
    expect(data.last_reply_at).toBe(new Date(now).toISOString());
    expect(data.replies[0]).toMatchObject({ parent_id: root.id, thread_url: root.url });
  });

  it("tells why the operator removed a post to its publisher alone", async () => {
    const { id } = await write(board, me.key);
    const other = await register(board, "Other");
    await new Moderation({ store: board.board.store }).actOn("remove", [id], "sold elsewhere", now);
    for (const [caller, said] of [
      [me, true],
      [other, false],
      [{}, false],
    ] as const) {
      const { status, body } = await get(id, caller);
      expect([status, body.error.code, body.error.hint.includes("sold elsewhere")]).toEqual([
        404,
        "post_not_found",
        said,
      ]);
    }
  });

  it("says no more of a post that its publisher took down than of one that there never was", async () => {
    const { id } = await write(board, me.key);
    await call(board, `DELETE /posts/${id}`, undefined, me);
    const [gone, none] = [await get(id, me), await get("nobodyhas1", me)];
    expect([gone.status, gone.body.error]).toEqual([404, none.body.error]);
  });

  it("gives a thread_url to threads, to posts that have replies and to replies, else null", async () => {
    const thread = await write(board, me.key, { kind: "thread" });
    expect(thread.thread_url).toBe(thread.url);
    const post = await write(board, me.key);
    expect(post.thread_url).toBeNull();
    const reply = await write(board, me.key, { parent_id: post.id });
    expect(reply.thread_url).toBe(post.url);
    expect((await get(post.id)).body.data.thread_url).toBe(post.url);
    expect((await get(reply.id)).body.data).toMatchObject({ parent_id: post.id, replies: [] });
  });

  it("answers an expired post with 200 and a note", async () => {
    const { id } = await write(board, me.key, { expires_at: new Date(now + 60_000).toISOString() });
    expect((await get(id)).body.meta.note).toBeUndefined();
    now += 60_000;
    const { status, body } = await get(id);
    expect(status).toBe(200);
    expect(body.meta.note).toBe("This post has expired.");
  });

  it("does not show hidden or removed replies, nor count them", async () => {
    const root = await write(board, me.key, { kind: "thread" });
    const reply = () => write(board, me.key, { parent_id: root.id });
    const [kept, hidden, removed] = [await reply(), await reply(), await reply()];
    await call(board, "POST /reports", { post_id: hidden.id, reason: "spam" });
    await call(board, `DELETE /posts/${removed.id}`, undefined, me);
    const { data } = (await get(root.id)).body;
    expect(data.replies.map((reply: { id: string }) => reply.id)).toEqual([kept.id]);
    expect(data.reply_count).toBe(1);
  });

  it("fails with post_hidden, with its root as well, for all but its writer, who reads why", async () => {
    const author = await register(board, "Author");
    const root = await write(board, author.key, { kind: "thread" });
    const reply = await write(board, me.key, { parent_id: root.id });
    await call(board, "POST /reports", { post_id: root.id, reason: "spam" });
    const noteOf = async (id: string, as: object) => {
      const { body } = await get(id, as);
      return body.error?.code ?? body.meta.note;
    };
    const foreign = [await noteOf(root.id, me), await noteOf(reply.id, author), await noteOf(reply.id, {})];
    expect(foreign).toEqual(Array(3).fill("post_hidden"));
    expect(await noteOf(reply.id, me)).toMatch(/^The post that this one answers is hidden/);
    expect(await noteOf(root.id, author)).toMatch(/^This post is hidden after reports\. Only you see it/);
    const { moderation } = board.board.services;
    await moderation.act("hide", root.id, ' a "scam"\u0007 ', now);
    expect(await noteOf(root.id, author)).toContain('has hidden this post: "a \\"scam\\"". Only you');
    await moderation.act("restore", root.id, "harmless", now);
    await moderation.act("suspend", author.id, "a fence", now);
    expect([await noteOf(reply.id, {}), await noteOf(root.id, me)]).toEqual(Array(2).fill("post_hidden"));
    expect(await noteOf(reply.id, me)).toMatch(/^The post that this one answers is hidden/);
    expect(await noteOf(root.id, author)).toBe(
      'The operator of this board has suspended you: "a fence". Only you see it until the operator restores it.',
    );
    const answer = await call(board, "POST /posts", { body: "Again", parent_id: root.id }, me);
    expect(answer.body.error.code).toBe("parent_not_found");
  });

  it("leaves out replies of suspended publishers, here and in the list of replies", async () => {
    const root = await write(board, me.key, { kind: "thread" });
    const rowdy = await register(board, "Rowdy");
    const loud = await write(board, rowdy.key, { parent_id: root.id, title: "Buy now" });
    const kept = await write(board, me.key, { parent_id: root.id });
    const { moderation } = board.board.services;
    const listed = async () => {
      const { body } = await call(board, `GET /posts/${root.id}/replies`);
      const shown = (await get(root.id)).body.data.replies;
      return [body.data, shown].map((replies) => replies.map(({ id }: { id: string }) => id));
    };
    await moderation.act("suspend", rowdy.id, "flooding", now);
    expect(await listed()).toEqual([[kept.id], [kept.id]]);
    await moderation.act("reinstate", rowdy.id, "a mistake", now);
    expect((await listed()).map((ids) => ids.sort())).toEqual(Array(2).fill([loud.id, kept.id].sort()));
  });
});
