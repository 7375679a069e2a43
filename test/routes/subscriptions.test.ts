import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";
import { type Received, type Response, startReceiver } from "../support/clients/receiver.ts";

describe("routes of subscriptions", () => {
  let board: TestBoard;
  let key: string;
  beforeAll(async () => {
    board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" });
    ({ key } = await register(board));
  });
  afterAll(() => board.stop());
  const subscribe = async (fields: object = {}) =>
    (await call(board, "POST /subscriptions", { query: { q: "piano" }, ...fields }, { key })).body.data;
  const verify = (id: string) => call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });

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

  it("count waiting matches in `pending`", async () => {
    const { id } = await subscribe({ query: { tags: "waiting" } });
    for (let n = 0; n < 3; n += 1) await write(board, key, { tags: ["waiting"] });
    const read = async () => (await call(board, `GET /subscriptions/${id}`, undefined, { key })).body.data;
    const subscription = await eventually(read, ({ pending }) => pending === 3);
    expect(subscription).toMatchObject({ pending: 3, last_matched_at: expect.any(String), failures: 0 });
  });

  describe("POST /subscriptions/{id}/verify-webhook", () => {
    const challengeOf = ({ body }: Received): string => JSON.parse(body).challenge;
    const answers: [string, 200 | 202, (request: Received) => Response][] = [
      ["the challenge as text", 200, (request) => ({ body: challengeOf(request) })],
      ["the challenge as text with a line feed", 200, (request) => ({ body: `${challengeOf(request)}\n` })],
      [
        "JSON with only the challenge",
        200,
        (request) => ({ body: JSON.stringify({ challenge: challengeOf(request) }) }),
      ],
      ["the body it was sent", 202, ({ body }) => ({ body })],
      [
        "JSON with more members",
        202,
        (request) => ({ body: JSON.stringify({ challenge: challengeOf(request), ok: 1 }) }),
      ],
      ["the challenge inside a sentence", 202, (request) => ({ body: `got ${challengeOf(request)}` })],
      ["another challenge", 202, () => ({ body: "something-else" })],
      ["204", 202, () => ({ status: 204 })],
      ["201 with the challenge", 202, (request) => ({ status: 201, body: challengeOf(request) })],
      ["500 with the challenge", 202, (request) => ({ status: 500, body: challengeOf(request) })],
      [
        "a redirect",
        202,
        (request) => ({ status: 302, headers: { location: "/other" }, body: challengeOf(request) }),
      ],
      ["far too much", 202, (request) => ({ body: challengeOf(request).padEnd(5_000) })],
    ];

    it.each(answers)("takes %s for %i", async (_what, expected, answer) => {
      const receiver = await startReceiver(answer);
      const { id } = await subscribe({ webhook_url: receiver.url });
      const { status, body } = await verify(id);
      await receiver.stop();
      expect(status).toBe(expected);
      expect(body.data).toMatchObject({ id, webhook_verified: expected === 200 });
      expect(body.data).not.toHaveProperty("secret");
    });

    it("sends a new challenge each time, and accepts no earlier one", async () => {
      let first: string | undefined;
      const receiver = await startReceiver((request) => {
        first ??= challengeOf(request);
        return { body: first };
      });
      const { id } = await subscribe({ webhook_url: receiver.url });
      const read = () => call(board, `GET /subscriptions/${id}`, undefined, { key });
      await eventually(read, ({ body }) => body.data.webhook_verified);
      expect((await verify(id)).status).toBe(202);
      await receiver.stop();
      expect(new Set(receiver.received.map(challengeOf)).size).toBe(2);
    });

    it("answers 202 when no server listens", async () => {
      const receiver = await startReceiver(() => ({}));
      await receiver.stop();
      const { id } = await subscribe({ webhook_url: receiver.url });
      expect((await verify(id)).status).toBe(202);
    });

    it("re-activates an inactive subscription that consents", async () => {
      const receiver = await startReceiver((request) => ({ body: challengeOf(request) }));
      const { id } = await subscribe({ webhook_url: receiver.url });
      await board.board.store.subscriptions.update(id, {
        active: false,
        inactiveReason: "webhook_gone",
        failures: 9,
      });
      const { status, body } = await verify(id);
      await receiver.stop();
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ active: true, inactive_reason: null, failures: 0 });
    });

    it("answers 202 when the receiver takes longer than 10 seconds", async () => {
      const receiver = await startReceiver((request) => ({ body: challengeOf(request), delayMs: 10_500 }));
      const { id } = await subscribe({ webhook_url: receiver.url });
      expect((await verify(id)).status).toBe(202);
      await receiver.stop();
    });
  });
});
