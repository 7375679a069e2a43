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

  /** Of two things of which the second came a day later, each goes after so many days, and not an hour sooner. */
  const expectToGoAfter = async (
    start: number,
    days: number,
    ids: string[],
    there: () => Promise<string[]>,
  ) => {
    const leftAt = async (ms: number) => {
      await eraseAt(start + days * DAY_MS + ms);
      return there();
    };
    expect(await leftAt(-HOUR_MS)).toEqual(ids);
    expect(await leftAt(HOUR_MS)).toEqual(ids.slice(1));
    expect(await leftAt(DAY_MS + HOUR_MS)).toEqual([]);
  };

  it("is an expired post for 90 days, and not an hour more or less", async () => {
    const start = now;
    const expires = (days: number) => ({ expires_at: new Date(start + days * DAY_MS).toISOString() });
    const first = await write(board, me.key, expires(1));
    const second = await write(board, other.key, expires(2));
    const ids = [first.id, second.id];
    // Another process has the job.
    now = start + 91 * DAY_MS + HOUR_MS;
    expect(await eraseOld(board.board.store, now, () => Promise.resolve(false))).toBe(0);
    await expectToGoAfter(start, 91, ids, async () => {
      const answers = await Promise.all(ids.map(status));
      return ids.filter((_, at) => answers[at] === 200);
    });
  });

  it("is the text of a removed post for 30 days, and not an hour more or less", async () => {
    const start = now;
    const [first, second] = [await write(board, me.key), await write(board, other.key)];
    const remove = (id: string, key: string) => call(board, `DELETE /posts/${id}`, undefined, { key });
    await remove(first.id, me.key);
    now += DAY_MS;
    await remove(second.id, other.key);
    const ids = [first.id, second.id];
    await expectToGoAfter(start, 30, ids, async () => {
      const rows = await board.board.store.posts.many(ids);
      return ids.filter((id) => rows.some((row) => row.id === id));
    });
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
    await expectToGoAfter(start, 30, [first, await matched()], pending);
  });
});
