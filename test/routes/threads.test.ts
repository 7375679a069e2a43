import { describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { found, walk, write } from "../support/boards/writing.ts";
import { aPost } from "../support/search/rows.ts";

const DAY_MS = 86_400_000;

describe("a thread", () => {
  let now = Date.UTC(2026, 0, 1, 12);
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString();
  const edit = (id: string, patch: unknown, as = me) => call(board, `PATCH /posts/${id}`, patch, as);
  const reply = (id: string, over: object = {}) => write(board, other.key, { parent_id: id, ...over });
  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board);
  const other = usePublisher(board, "Other");

  /** How many replies there are by the count, the list, a search in the thread and a search over everything. */
  async function seen(id: string, search = ""): Promise<number[]> {
    const { data } = (await call(board, `GET /posts/${id}`)).body;
    const ids = async (path: string) => (await walk(board, path)).map((post) => post.id).sort();
    const listed = await ids(`/posts/${id}/replies?limit=50`);
    const inThread = await ids(`/search?thread=${id}&limit=50${search}`);
    const anywhere = (await ids(`/search?include_replies=true&limit=50${search}`)).filter((each) =>
      each.startsWith(`${id}-`),
    );
    expect(data.replies.map((post: { id: string }) => post.id)).toHaveLength(Math.min(20, listed.length));
    if (inThread.length > 0) expect([inThread, anywhere]).toEqual([listed, listed]);
    return [data.reply_count, listed.length, inThread.length, anywhere.length];
  }

  it("is whole at any age: each reply lives as long as the root", async () => {
    const root = await write(board, me.key, { kind: "thread", tags: ["whole"] });
    for (let week = 1; week <= 26; week += 1) {
      now += 6.9 * DAY_MS;
      await reply(root.id, { tags: ["whole"] });
      if (week % 13 === 0) expect(await seen(root.id)).toEqual([week, week, week, week]);
    }
    // Nobody answers any more: the thread ends as a whole.
    now += 7.1 * DAY_MS;
    expect(await seen(root.id)).toEqual([26, 26, 0, 0]);
    expect(await seen(root.id, "&include_expired=true")).toEqual([26, 26, 26, 26]);
    expect(await found(board, "/search?tags=whole&include_replies=true")).toEqual([]);
    // And comes back with a late answer.
    await reply(root.id, { tags: ["whole"] });
    expect(await seen(root.id)).toEqual([27, 27, 27, 27]);
  });

  it("of an offer lives on, ends and comes back with the offer", async () => {
    const root = await write(board, me.key, { kind: "offer", expires_at: at(200) });
    const first = await reply(root.id);
    expect(first.expires_at).toBe(root.expires_at);
    now += 100 * DAY_MS;
    await reply(root.id);
    expect(await seen(root.id)).toEqual([2, 2, 2, 2]);
    await edit(root.id, { expires_at: at(300) });
    now += 250 * DAY_MS;
    expect(await seen(root.id)).toEqual([2, 2, 2, 2]);
    expect((await call(board, `GET /posts/${first.id}`)).body.meta.note).toBeUndefined();
    await edit(root.id, { expires_at: "now" });
    expect(await seen(root.id)).toEqual([2, 2, 0, 0]);
    expect((await call(board, `GET /posts/${first.id}`)).body.meta.note).toContain("expired");
    await edit(root.id, { expires_at: at(1) });
    expect(await seen(root.id)).toEqual([2, 2, 2, 2]);
  });

  it("follows a default expiry that follows the dates", async () => {
    const root = await write(board, me.key, { kind: "event", starts_at: at(5), ends_at: at(6) });
    const { id } = await reply(root.id);
    await edit(root.id, { starts_at: at(105), ends_at: at(106) });
    expect((await call(board, `GET /posts/${id}`)).body.data.expires_at).toBe(at(107));
    now += 100 * DAY_MS;
    expect(await seen(root.id)).toEqual([1, 1, 1, 1]);
  });

  it("with new dates lives by these, and at least a week after its latest reply", async () => {
    const thread = () => write(board, me.key, { kind: "thread", starts_at: at(1), ends_at: at(2) });
    const [silent, answered] = [await thread(), await thread()];
    now += DAY_MS / 2;
    await reply(answered.id);
    const moved = async (id: string, ends_at: string) =>
      (await call(board, `PATCH /posts/${id}`, { ends_at }, me)).body.data.expires_at;
    for (const [ends, expires, rest] of [
      [3, 4, 7],
      [6, 7, 7],
      [9, 10, 10],
    ] as const) {
      expect(await moved(silent.id, at(ends))).toBe(at(expires));
      expect(await moved(answered.id, at(ends))).toBe(at(rest));
    }
  });

  it("is hidden and restored as a whole, hidden replies and all, while its expiry moves", async () => {
    const root = await write(board, me.key, { kind: "offer", expires_at: at(10) });
    const { id } = await reply(root.id);
    await reply(root.id);
    const moderate = (act: "hide" | "restore", post: string) =>
      board.board.services.moderation.act(act, post, "test", now);
    await moderate("hide", root.id);
    expect(await found(board, `/search?thread=${root.id}`)).toEqual([]);
    expect((await call(board, `GET /posts/${root.id}/replies`)).body.error.code).toBe("post_hidden");
    const own = await call(board, `GET /posts/${root.id}/replies`, undefined, me);
    expect([own.status, own.body.data]).toEqual([200, []]);
    await moderate("restore", root.id);
    await moderate("hide", id);
    await edit(root.id, { expires_at: at(50) });
    now += 30 * DAY_MS;
    expect(await seen(root.id)).toEqual([1, 1, 1, 1]);
    await moderate("restore", id);
    expect(await seen(root.id)).toEqual([2, 2, 2, 2]);
  });

  it("takes no reply while its root is hidden or of somebody suspended, nor to a reply", async () => {
    const author = await register(board, "Author");
    const root = await write(board, author.key, { kind: "thread" });
    const { id } = await reply(root.id);
    const answer = async (parent_id: string) => {
      const { status, body } = await call(board, "POST /posts", { body: "Still there?", parent_id }, other);
      return body.error?.code ?? status;
    };
    const { moderation } = board.board.services;
    for (const [act, subject, isOpen] of [
      ["suspend", author.id, false],
      ["reinstate", author.id, true],
      ["hide", root.id, false],
      ["restore", root.id, true],
      ["remove", root.id, false],
    ] as const) {
      await moderation.act(act, subject, "test", now);
      const closed = ["parent_not_found", "parent_not_found"];
      expect([await answer(root.id), await answer(id)]).toEqual(isOpen ? [201, "nested_reply"] : closed);
    }
  });

  it("names its root to who answers a reply", async () => {
    const root = await write(board, me.key, { kind: "thread" });
    const { id } = await reply(root.id);
    const { body } = await call(board, "POST /posts", { body: "Still there?", parent_id: id }, other);
    expect(body.error).toMatchObject({
      code: "nested_reply",
      issues: [
        { path: "parent_id", code: "nested_reply", message: `The root of this thread is ${root.id}.` },
      ],
      hint: `Send it again with parent_id "${root.id}", the root of this thread.`,
    });
  });

  it("tells who sends an expiry with a reply that it changed nothing", async () => {
    const root = await write(board, me.key, { expires_at: at(10) });
    const sent = { kind: "offer", title: "A reply", body: "With an expiry.", parent_id: root.id };
    const answer = (days: number) =>
      call(board, "POST /posts", { ...sent, expires_at: at(days) }, other).then(({ body }) => body);
    const body = await answer(300);
    expect(body.data.expires_at).toBe(root.expires_at);
    expect(body.meta.note).toContain("A reply lives as long as the post it answers");
    expect((await answer(-1)).data.expires_at).toBe(root.expires_at);
    const edited = await edit(body.data.id, { expires_at: "now" }, other);
    expect(edited.body.data.expires_at).toBe(root.expires_at);
    expect(edited.body.meta.note).toContain("delete it");
    expect(await seen(root.id)).toEqual([2, 2, 2, 2]);
  });

  it("of a hundred replies moves its end a day further than it must, so that few replies move it", async () => {
    const root = await write(board, me.key, { kind: "thread", expires_at: at(7) });
    const earlier = { publisherId: other.id, parentId: root.id, createdAt: now, updatedAt: now };
    // Ten at once, since the store writes the replies of one thread one after another.
    for (let from = 0; from < 100; from += 10) {
      const ids = Array.from({ length: 10 }, (_, n) => `${root.id}-${from + n}`);
      await Promise.all(ids.map((id) => board.board.store.posts.insert(aPost(id, earlier))));
    }
    now += 60_000;
    const expiry = async () => (await call(board, `GET /posts/${root.id}`)).body.data.expires_at;
    await reply(root.id);
    expect(await expiry()).toBe(at(8));
    now += 60_000;
    await reply(root.id);
    expect(await expiry()).toBe(at(8 - 1 / 1440));
    expect(await seen(root.id)).toEqual([102, 102, 102, 102]);
  });
});
