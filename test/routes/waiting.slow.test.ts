import { describe, expect, it } from "vitest";
import { ON_MONGODB } from "../support/boards/board.ts";
import { type Answer, call, eventually, register } from "../support/boards/client.ts";
import { waitersAt } from "../support/boards/settled.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

/** Matches posts. */
const board = useTestBoard();
/** A process on the same store that answers, but matches nothing itself. */
const other = useTestBoard({}, () => ({ dataDir: board.dataDir, idle: true }));
const me = usePublisher(board, "Waiting");
const writer = usePublisher(board, "Writer");
let tags = 0;

/** A subscription to a tag of its own. */
async function subscribed(key = me.key): Promise<{ id: string; tag: string }> {
  tags += 1;
  const tag = `wait-${tags}`;
  const { body } = await call(board, "POST /subscriptions", { query: { tags: tag } }, { key });
  return { id: body.data.id, tag };
}

/** A call that waits for the matches of a subscription. */
const waits = (id: string, as = me, at = board, seconds = "50") =>
  call(at, `GET /subscriptions/${id}/pending?wait_s=${seconds}`, undefined, as);

/** The same as a client that may hang up. */
const waitsFor = (gone: AbortController, id: string, as = me) => {
  const headers = { authorization: `Bearer ${as.key}` };
  const url = `${board.api}/subscriptions/${id}/pending?wait_s=50`;
  return fetch(url, { headers, signal: gone.signal }).catch((error: Error) => error.name);
};

const titlesOf = ({ body }: Answer): string[] =>
  body.data.map((item: { title?: string; post?: { title: string } }) => item.title ?? item.post?.title);

describe("wait_s", () => {
  it("holds the answer of every list of matches back until there is one", async () => {
    const { id, tag } = await subscribed();
    const inbox = (await call(board, "GET /publishers/me/inbox", undefined, me)).body.next_cursor;
    const answers = [
      waits(id),
      call(board, `GET /publishers/me/inbox?wait_s=50&cursor=${inbox ?? ""}`, undefined, me),
    ];
    await waitersAt(board, 2);
    await write(board, writer.key, { title: "Waited for", tags: [tag] });
    for (const answer of await Promise.all(answers)) expect(titlesOf(answer)).toEqual(["Waited for"]);
    expect(board.board.services.waits.count).toBe(0);
  });

  it("wakes a call that waits in another process than the one that matched", async () => {
    const { id, tag } = await subscribed();
    const answer = waits(id, me, other);
    await waitersAt(other, 1);
    await write(board, writer.key, { title: "From elsewhere", tags: [tag] });
    expect(titlesOf(await answer)).toEqual(["From elsewhere"]);
  });

  it("ends with an empty list, whose cursor goes on", async () => {
    const { id, tag } = await subscribed();
    await write(board, writer.key, { title: "Before", tags: [tag] });
    const first = await waits(id);
    const next = `GET /subscriptions/${id}/pending?cursor=${first.body.next_cursor}` as const;
    const { status, body } = await call(board, `${next}&wait_s=0.05`, undefined, me);
    expect([status, body.data, body.next_cursor]).toEqual([200, [], first.body.next_cursor]);
    expect(body.meta.note).toBeUndefined();
  });

  it("goes on waiting when something else came for the publisher", async () => {
    const [{ id, tag }, another] = [await subscribed(), await subscribed()];
    const answer = waits(id);
    await waitersAt(board, 1);
    await write(board, writer.key, { title: "For the other", tags: [another.tag] });
    await eventually(
      () => call(board, `GET /subscriptions/${another.id}/pending`, undefined, me),
      (page) => titlesOf(page).length === 1,
    );
    await waitersAt(board, 1);
    await write(board, writer.key, { title: "For this one", tags: [tag] });
    expect(titlesOf(await answer)).toEqual(["For this one"]);
  });

  it("does not wait where nothing can come", async () => {
    const { id } = await subscribed();
    await call(board, `PATCH /subscriptions/${id}`, { active: false }, me);
    const paused = await waits(id);
    expect(paused.body.meta.note).toContain("inactive");
    expect(board.board.services.waits.count).toBe(0);
  });

  it("ends when the subscription is deleted from under it", async () => {
    const { id, tag } = await subscribed();
    const beside = await subscribed();
    const answer = waits(id);
    await waitersAt(board, 1);
    await call(board, `DELETE /subscriptions/${id}`, undefined, me);
    await write(board, writer.key, { title: "Too late", tags: [tag, beside.tag] });
    expect((await answer).body.error.code).toBe("subscription_not_found");
  });

  it("ends when another process erases the publisher", async () => {
    const erased = await register(board, "Erased");
    const { id } = await subscribed(erased.key);
    const answer = waits(id, erased, other);
    await waitersAt(other, 1);
    expect((await call(board, "DELETE /publishers/me", undefined, erased)).status).toBe(200);
    await waitersAt(other, 0);
    expect((await answer).body.error.code).toBe("subscription_not_found");
  });

  it("is refused above 50 s", async () => {
    const { id } = await subscribed();
    const { status, body } = await waits(id, me, board, "51");
    expect([status, body.error.issues[0].path]).toEqual([400, "wait_s"]);
  });

  it("frees the place of a client that hangs up", async () => {
    const { id } = await subscribed();
    const gone = new AbortController();
    const answer = waitsFor(gone, id);
    await waitersAt(board, 1);
    gone.abort();
    expect(await answer).toBe("AbortError");
    await waitersAt(board, 0);
  });

  it("leaves one publisher 50 places, and answers further calls at once", async () => {
    const crowd = await register(board, "Crowd");
    const { id } = await subscribed(crowd.key);
    const gone = new AbortController();
    const calls = Array.from({ length: 50 }, () => waitsFor(gone, id, crowd));
    await waitersAt(board, 50);
    const { body } = await waits(id, crowd);
    expect(body.meta.note).toBe("Too many calls wait already, so this one did not: ask again in 30 s.");
    gone.abort();
    await Promise.all(calls);
    await waitersAt(board, 0);
  });

  it.skipIf(ON_MONGODB)(
    "holds no place among the requests under way: a thousand wait, and others are answered",
    async () => {
      const gone = new AbortController();
      const calls: Promise<unknown>[] = [];
      for (let n = 0; n < 21; n += 1) {
        const one = await register(board, `One of many ${n}`);
        const { id } = await subscribed(one.key);
        for (let i = 0; i < 50; i += 1) calls.push(waitsFor(gone, id, one));
        await waitersAt(board, calls.length);
      }
      expect(board.board.services.waits.count).toBe(1_050);
      expect((await call(board, "GET /posts?limit=1")).status).toBe(200);
      gone.abort();
      await Promise.all(calls);
      await waitersAt(board, 0);
    },
  );
});

describe("over MCP, a client", () => {
  const client = useClient(board, "/mcp", me);

  it("waits with check_subscription, with and without an id", async () => {
    const { id, tag } = await subscribed();
    const cursor = (await call(board, "GET /publishers/me/inbox?limit=100", undefined, me)).body.next_cursor;
    const answers = [
      client.call("check_subscription", { id, wait_s: 50 }),
      client.call("check_subscription", { wait_s: 50, ...(cursor === null ? {} : { cursor }) }),
    ];
    await waitersAt(board, 2);
    await write(board, writer.key, { title: "For both", tags: [tag] });
    for (const { text } of await Promise.all(answers)) expect(text).toContain('"For both"');
  });
});
