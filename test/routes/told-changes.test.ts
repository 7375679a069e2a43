import { describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { matched } from "../support/boards/settled.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { startWebhook, subscribeTo } from "../support/clients/webhooks.ts";

const START = "2099-03-04T18:00:00.000Z";
const LATER = "2099-03-04T19:00:00.000Z";

interface Item {
  id: string;
  change?: object;
}

describe("a match that stays true", () => {
  const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" });
  const me = usePublisher(board, "Reader");
  const organiser = usePublisher(board, "Organiser");
  const mcp = useClient(board, "/mcp", me);
  const programs = useClient(board, "/mcp/data", me);

  const subscribe = async (tag: string, fields: object = {}) =>
    (await call(board, "POST /subscriptions", { query: { tags: tag }, ...fields }, me)).body.data;
  const pending = async (id: string) =>
    (await call(board, `GET /subscriptions/${id}/pending`, undefined, me)).body.data;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of a match
  const soon = (id: string, isThere: (items: Item[]) => boolean): Promise<any> =>
    eventually(() => pending(id), isThere);
  const post = (tag: string, fields: object = {}) =>
    write(board, organiser.key, {
      kind: "event",
      title: `On ${tag}`,
      tags: [tag],
      starts_at: START,
      ...fields,
    });
  const edit = (id: string, patch: object) => call(board, `PATCH /posts/${id}`, patch, organiser);
  const isChanged = (items: Item[]) => items.some(({ change }) => change !== undefined);

  it("tells once that a post moves, in pending, the inbox, the push and the text for a model", async () => {
    const webhook = await startWebhook();
    const pushed = await subscribeTo(board, me.key, webhook, { tags: "moves" });
    const { id } = await subscribe("moves", { label: "Mine" });
    const { id: postId } = await post("moves", { location: { name: "The old mill" } });
    await soon(id, (items) => items.length === 1);
    await eventually(
      async () => webhook.messages.length,
      (n) => n === 1,
    );
    await edit(postId, { starts_at: LATER, body: "Other words." });
    const [match] = await soon(id, isChanged);
    expect(match).toMatchObject({
      id: postId,
      starts_at: LATER,
      delivery_id: 2,
      change: { what: ["starts_at"], before: { starts_at: START } },
    });
    await eventually(
      async () => webhook.messages.length,
      (n) => n === 2,
    );
    const { data } = webhook.messages[1]?.json ?? {};
    expect(data).toMatchObject({
      subscription_id: pushed.id,
      delivery_id: 2,
      post: { id: postId, starts_at: LATER },
      change: match.change,
    });
    await edit(postId, { tags: ["moves", "more"] });
    await matched(board);
    const { data: inbox } = (await call(board, "GET /publishers/me/inbox", undefined, me)).body;
    const mine = inbox.filter((item: { subscription_id?: string }) => item.subscription_id === id);
    expect(mine.map((item: { change?: { what: string[] } }) => item.change?.what)).toEqual([
      undefined,
      ["starts_at"],
    ]);
    const text = (await mcp.call("check_subscription", { id })).text;
    expect(text).toContain(`CHANGED since you were told: starts_at (was ${START})`);
    await edit(postId, { location: { name: "The new mill" }, ends_at: "2099-03-04T21:00:00.000Z" });
    const moved = 'CHANGED since you were told: ends_at (was nothing), location (was "The old mill")';
    const told = () => mcp.call("check_subscription", { id });
    expect((await eventually(told, (answer) => answer.text.includes(moved))).text).toContain(moved);
    const [{ change }] = (await pending(id)).slice(-1);
    expect(change.before).toEqual({
      ends_at: null,
      location: expect.objectContaining({ name: "The old mill" }),
    });
    await webhook.stop();
  });

  it("tells of a post that is taken down its id, the word and when; not where changes are off", async () => {
    const webhook = await startWebhook();
    await subscribeTo(board, me.key, webhook, { tags: "gone" });
    const { id, changes } = await subscribe("gone", { label: "On" });
    expect(changes).toBe(true);
    const off = await subscribe("gone", { label: "Off", changes: false });
    expect(off.changes).toBe(false);
    expect(off.id).not.toBe(id);
    const { id: postId } = await post("gone");
    await soon(off.id, (items) => items.length === 1);
    await eventually(
      async () => webhook.messages.length,
      (n) => n === 1,
    );
    await call(board, `DELETE /posts/${postId}`, undefined, organiser);
    const [match, ...others] = await soon(id, isChanged);
    expect(others).toEqual([]);
    expect(match).toEqual({
      id: postId,
      delivery_id: 2,
      matched_at: expect.any(String),
      change: { what: ["removed"], before: {}, at: expect.any(String) },
    });
    await matched(board);
    expect(await pending(off.id)).toEqual([]);
    await eventually(
      async () => webhook.messages.length,
      (n) => n === 2,
    );
    expect(webhook.messages[1]?.json.data.post).toEqual({ id: postId });
    for (const client of [mcp, programs])
      expect((await client.call("check_subscription", { id })).text).toContain(`\`${postId}\` is taken down`);
    const { text } = await mcp.call("check_subscription", { limit: 100 });
    expect(text).toContain("CHANGED since you were told: taken down");
    await webhook.stop();
  });

  it("is told nothing while the post that changed is hidden, and the change again once it is back", async () => {
    const { id } = await subscribe("hidden");
    const { id: postId } = await post("hidden");
    await soon(id, (items) => items.length === 1);
    await edit(postId, { starts_at: LATER });
    const [match] = await soon(id, isChanged);
    const { moderation } = board.board.services;
    await moderation.act("hide", postId, "test", Date.now());
    expect(await pending(id)).toEqual([]);
    await moderation.act("restore", postId, "test", Date.now());
    expect(await pending(id)).toEqual([match]);
  });

  it("tells who answered a post that it ended", async () => {
    const { id, expires_at } = await post("ends");
    await write(board, me.key, { parent_id: id, kind: "thread" });
    await edit(id, { expires_at: "now" });
    const { data } = (await call(board, "GET /publishers/me/inbox", undefined, me)).body;
    const heard = data.filter((item: { post: { id: string } }) => item.post.id === id);
    expect(heard).toMatchObject([
      { type: "activity", post: { title: "On ends" }, change: { what: ["ended"], before: { expires_at } } },
    ]);
    expect((await mcp.call("check_subscription", { limit: 100 })).text).toContain(
      "a post that you replied to, CHANGED since you were told: ended before its time",
    );
  });

  it("tells of the next date of a series once the told one is taken down, and of no other", async () => {
    const { id } = await subscribe("weekly");
    const strict = (
      await call(board, "POST /subscriptions", { query: { tags: "weekly", verified: true } }, me)
    ).body.data.id;
    const dates = [];
    for (const day of ["04", "11", "18"])
      dates.push(await post("weekly", { title: "Weekly", starts_at: `2099-03-${day}T18:00:00.000Z` }));
    const [first, second] = dates;
    // A date that is matched once the publisher is verified is rightly told to `strict`.
    await matched(board);
    expect((await pending(id)).map((item: Item) => item.id)).toEqual([first.id]);
    await board.board.store.publishers.update(organiser.id, { verifiedAt: Date.now() });
    await eventually(
      async () => (await pending(id))[0].also_on?.starts_at.length,
      (n) => n === 2,
    );
    await call(board, `DELETE /posts/${first.id}`, undefined, organiser);
    const items = await soon(id, (found) => found.length === 2);
    expect(
      items.map((item: { id: string; change?: { what: string[] } }) => [item.id, item.change?.what]),
    ).toEqual([
      [first.id, ["removed"]],
      [second.id, undefined],
    ]);
    // Who was told of no date, since its publisher was not verified then, hears of none that was there already.
    expect(await pending(strict)).toEqual([]);
    // One that is written later is a date that the subscription knows of. The last post shows that all was matched.
    await post("weekly", { title: "Weekly", starts_at: "2099-03-25T18:00:00.000Z" });
    await edit(second.id, { body: "Bring a friend, and a mat." });
    const { id: last } = await post("weekly", { title: "Another thing" });
    const all = await soon(id, (found) => found.some((item) => item.id === last));
    expect(all.map((item: { id: string }) => item.id)).toEqual([first.id, second.id, last]);
    await board.board.store.publishers.update(organiser.id, { verifiedAt: null });
  });

  it("saves one watch of two equal calls at once", async () => {
    const owner = await register(board);
    const saved = await Promise.all(
      [1, 2, 3].map(() => call(board, "POST /subscriptions", { query: { q: "at once" } }, owner)),
    );
    expect(saved.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(saved.map(({ body }) => body.data.id)).size).toBe(1);
  });
});
