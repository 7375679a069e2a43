import { describe, expect, it } from "vitest";
import { eraseOld } from "../../src/jobs/schedule.ts";
import type { StoredPublisher } from "../../src/ports/store/index.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { aSubscription } from "../support/search/rows.ts";

let now = Date.now();
const board = useTestBoard({}, { clock: () => now });

const inbox = async (key: string, query = "") => {
  const { status, body } = await call(board, `GET /publishers/me/inbox${query}`, undefined, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
interface Item {
  type: string;
  post: { id: string };
  subscription_id?: string;
}
const brief = ({ data }: { data: Item[] }) => data.map(({ type, post }) => [type, post.id]);

describe("the inbox", () => {
  it("holds replies to one's posts, matches, and activity in threads one joined; not one's own", async () => {
    const [asker, helper, third] = [await register(board), await register(board), await register(board)];
    const root = await write(board, asker.key, { kind: "thread" });
    const saved = await call(board, "POST /subscriptions", { query: { tags: "inbox-match" } }, asker);
    const reply = await write(board, helper.key, { parent_id: root.id });
    await write(board, asker.key, { parent_id: root.id });
    const later = await write(board, third.key, { parent_id: root.id });
    const match = await write(board, third.key, { tags: ["inbox-match"] });
    const own = await eventually(
      () => inbox(asker.key),
      ({ data }) => data.length === 3,
    );
    expect(brief(own)).toEqual([
      ["reply", reply.id],
      ["reply", later.id],
      ["match", match.id],
    ]);
    expect(own.meta.content_notice).toContain("third parties");
    const [first, , found] = own.data;
    expect(first).toEqual({
      type: "reply",
      at: reply.created_at,
      post: expect.objectContaining({ id: reply.id, body: reply.body, parent_id: root.id }),
    });
    expect(found).toMatchObject({ subscription_id: saved.body.data.id, delivery_id: 1 });
    const joined = await inbox(helper.key);
    expect(joined.data.map(({ type }: { type: string }) => type)).toEqual(["activity", "activity"]);
    expect(joined.data[1].post.id).toBe(later.id);
    expect((await inbox(third.key)).data).toEqual([]);
  });

  it("leaves out matches that are replies to one's posts, and holds those of a thread one follows", async () => {
    const [owner, other] = [await register(board), await register(board)];
    const { subscriptions } = board.board.store;
    const [mine, followed] = [await write(board, owner.key), await write(board, other.key)];
    const byHost = { publisherId: owner.id, event: "post.replied", label: null } as const;
    const ids = [`sub_all_${owner.id}`, `sub_thread_${owner.id}`];
    await subscriptions.insert(aSubscription(ids[0] ?? "", { ...byHost, query: {} }), 50);
    await subscriptions.insert(
      aSubscription(ids[1] ?? "", { ...byHost, query: { thread: followed.id } }),
      50,
    );
    const replies = [];
    for (const { id } of [mine, followed]) replies.push(await write(board, other.key, { parent_id: id }));
    const { data } = await eventually(
      () => inbox(owner.key),
      (page) => page.data.length > 1,
    );
    expect(data.map((item: Item) => [item.post.id, item.type, item.subscription_id])).toEqual([
      [replies[0].id, "reply", undefined],
      [replies[1].id, "match", ids[1]],
    ]);
    // The match that is left out takes a place in the list all the same.
    const pages = [];
    const caller = (await board.board.store.publishers.get(owner.id)) as StoredPublisher;
    for (let cursor: string | undefined; pages.length < 3; ) {
      const page = await board.board.services.inbox.read(caller, { cursor, limit: 1 }, now);
      expect(page.notes.join()).toContain("This page is full");
      // Whoever waits for news goes on waiting where nothing is shown.
      expect(page.hasNews).toBe(page.items.length > 0);
      pages.push(page.items.length);
      cursor = page.nextCursor;
    }
    expect(pages.sort()).toEqual([0, 1, 1]);
  });

  it("is read from a watermark: never null, also before anything came, and given back by an empty page", async () => {
    const [owner, other] = [await register(board), await register(board)];
    const before = (await inbox(owner.key)).next_cursor;
    const root = await write(board, owner.key, {});
    const replies: string[] = [];
    for (let n = 0; n < 5; n += 1) replies.push((await write(board, other.key, { parent_id: root.id })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    for (;;) {
      const page: Awaited<ReturnType<typeof inbox>> = await inbox(
        owner.key,
        `?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      expect(page.next_cursor).not.toBeNull();
      expect(page.meta.note).toBe(
        page.data.length < 2
          ? undefined
          : "This page is full, so more may be waiting: ask again now with `next_cursor`.",
      );
      if (page.data.length === 0) {
        expect(page.next_cursor).toBe(cursor);
        break;
      }
      seen.push(...page.data.map(({ post }: { post: { id: string } }) => post.id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(replies);
    const sinceThen = await inbox(owner.key, `?limit=100&cursor=${before}`);
    expect(brief(sinceThen).map(([, id]) => id)).toEqual(replies);
    const one = await write(board, other.key, { parent_id: root.id });
    expect(brief(await inbox(owner.key, `?cursor=${cursor}`))).toEqual([["reply", one.id]]);
  });

  it("begins at a time where one is given, and at the watermark where both are", async () => {
    const [owner, other] = [await register(board), await register(board)];
    const root = await write(board, owner.key, {});
    const replies: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      replies.push((await write(board, other.key, { parent_id: root.id })).id);
      now += 3_600_000;
    }
    const caller = (await board.board.store.publishers.get(owner.id)) as StoredPublisher;
    const read = async (since: string, cursor?: string) => {
      const page = await board.board.services.inbox.read(caller, { cursor, since, limit: 9 }, now);
      return { ids: page.items.map(({ post }) => post.id), cursor: page.nextCursor };
    };
    const { ids, cursor } = await read("2 hours ago");
    expect(ids).toEqual(replies.slice(1));
    expect((await read("3 hours ago")).ids).toEqual(replies);
    expect((await read("3 hours ago", cursor)).ids).toEqual([]);
    // Nothing came since then: what comes next is told from its cursor on.
    const none = await read("30 minutes ago");
    expect(none.ids).toEqual([]);
    const { id } = await write(board, other.key, { parent_id: root.id });
    expect((await read("3 hours ago", none.cursor)).ids).toEqual([id]);
  });

  it("fails with invalid_cursor for a foreign one, and with missing_api_key without a key", async () => {
    const [one, two] = [await register(board), await register(board)];
    const root = await write(board, one.key, {});
    await write(board, two.key, { parent_id: root.id });
    const { next_cursor } = await inbox(one.key);
    for (const cursor of [next_cursor, "x"]) {
      const path = `GET /publishers/me/inbox?cursor=${cursor}` as const;
      expect((await call(board, path, undefined, { key: two.key })).body.error.code).toBe("invalid_cursor");
    }
    expect((await call(board, "GET /publishers/me/inbox")).body.error.code).toBe("missing_api_key");
  });

  it("is kept for 30 days", async () => {
    const [owner, other] = [await register(board), await register(board)];
    const root = await write(board, owner.key, {
      expires_at: new Date(now + 300 * 86_400_000).toISOString(),
    });
    const long = { expires_at: new Date(now + 200 * 86_400_000).toISOString() };
    await write(board, other.key, { parent_id: root.id, ...long });
    now += 29 * 86_400_000;
    await eraseOld(board.board.store, now);
    expect((await inbox(owner.key)).data).toHaveLength(1);
    // MongoDB goes by its server's clock: test/mongodb/expiry.
    if (board.board.store.inbox.prune === undefined) return;
    now += 2 * 86_400_000;
    await eraseOld(board.board.store, now);
    expect((await inbox(owner.key)).data).toEqual([]);
  });
});
