import { describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

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

  it("count waiting matches in `pending`", async () => {
    const { id } = await subscribe({ query: { tags: "waiting" } });
    for (let n = 0; n < 3; n += 1) await write(board, me.key, { tags: ["waiting"] });
    const read = async () => (await call(board, `GET /subscriptions/${id}`, undefined, me)).body.data;
    const subscription = await eventually(read, ({ pending }) => pending === 3);
    expect(subscription).toMatchObject({ pending: 3, last_matched_at: expect.any(String), failures: 0 });
  });
});
