import { describe, expect, it } from "vitest";
import { eraseOld } from "../../src/jobs/schedule.ts";
import { call, eventually } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("what a board keeps of posts that are over", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board);
  const other = usePublisher(board, "Other");
  const status = async (id: string) => (await call(board, `GET /posts/${id}`)).status;
  const eraseAt = (at: number) => {
    now = at;
    return eraseOld(board.board.store, now);
  };

  it("is an expired post for 90 days, and not an hour more or less", async () => {
    const start = now;
    const expires = (days: number) => ({ expires_at: new Date(start + days * DAY_MS).toISOString() });
    const first = await write(board, me.key, expires(1));
    const second = await write(board, other.key, expires(2));
    await eraseAt(start + 91 * DAY_MS - HOUR_MS);
    expect([await status(first.id), await status(second.id)]).toEqual([200, 200]);
    // Another process has the job.
    now = start + 91 * DAY_MS + HOUR_MS;
    expect(await eraseOld(board.board.store, now, () => Promise.resolve(false))).toBe(0);
    await eraseAt(start + 91 * DAY_MS + HOUR_MS);
    expect([await status(first.id), await status(second.id)]).toEqual([404, 200]);
    await eraseAt(start + 92 * DAY_MS + HOUR_MS);
    expect([await status(first.id), await status(second.id)]).toEqual([404, 404]);
  });

  it("is the text of a removed post for 30 days, and not an hour more or less", async () => {
    const start = now;
    const [first, second] = [await write(board, me.key), await write(board, other.key)];
    const remove = (id: string, key: string) => call(board, `DELETE /posts/${id}`, undefined, { key });
    await remove(first.id, me.key);
    now += DAY_MS;
    await remove(second.id, other.key);
    const kept = async () => {
      const rows = await board.board.store.posts.many([first.id, second.id]);
      return [first.id, second.id].filter((id) => rows.some((row) => row.id === id));
    };
    await eraseAt(start + 30 * DAY_MS - HOUR_MS);
    expect(await kept()).toEqual([first.id, second.id]);
    await eraseAt(start + 30 * DAY_MS + HOUR_MS);
    expect(await kept()).toEqual([second.id]);
    await eraseAt(start + 31 * DAY_MS + HOUR_MS);
    expect(await kept()).toEqual([]);
  });

  it("is a match for 30 days, and not an hour more or less", async () => {
    const saved = await call(board, "POST /subscriptions", { query: { tags: "kept" } }, me);
    const pending = async () =>
      (await call(board, `GET /subscriptions/${saved.body.data.id}/pending`, undefined, me)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    const matched = async () => {
      const before = (await pending()).length;
      const expires_at = new Date(now + 100 * DAY_MS).toISOString();
      const { id } = await write(board, other.key, { tags: ["kept"], expires_at });
      await eventually(pending, (ids) => ids.length > before);
      return id;
    };
    const start = now;
    const first = await matched();
    now += DAY_MS;
    const second = await matched();
    await eraseAt(start + 30 * DAY_MS - HOUR_MS);
    expect(await pending()).toEqual([first, second]);
    await eraseAt(start + 30 * DAY_MS + HOUR_MS);
    expect(await pending()).toEqual([second]);
    await eraseAt(start + 31 * DAY_MS + HOUR_MS);
    expect(await pending()).toEqual([]);
  });
});
