import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BoardCountsDocument } from "../../../src/store/mongodb/schema/counts.ts";
import { startBoard, type TestBoard } from "../../support/boards/board.ts";
import { call, eventually, register } from "../../support/boards/client.ts";
import { mongodbFor } from "../../support/mongodb/mongodb.ts";

const database = await mongodbFor("replicaSet", "keeping");
const PATIENCE_MS = 60_000;

describe.skipIf(database === null)("boards that keep their counts", () => {
  let one: TestBoard;
  let other: TestBoard;

  beforeAll(async () => {
    one = await startBoard({ STORE_URL: database?.url ?? "" });
    other = await startBoard({ STORE_URL: database?.url ?? "" });
  });
  afterAll(async () => {
    await other?.stop();
    await database?.drop();
  });

  const post = async (board: TestBoard, key: string, title: string) =>
    call(board, "POST /posts", { kind: "thread", title, body: `About ${title}.` }, { key });
  /** The kept figures once they hold so many posts and publishers. */
  const keptWith = (posts: number, publishers: number) =>
    eventually(
      async () => database?.db.collection<BoardCountsDocument>("board_counts").findOne({ _id: "board" }),
      (found) => found?.kinds.thread === posts && found.publishers === publishers && found.at !== null,
      PATIENCE_MS,
    );

  it("count what is written through any of them, and a publisher that writes nothing", async () => {
    const { key } = await register(one);
    await post(one, key, "first");
    await post(other, key, "second");
    expect(await keptWith(2, 1)).toMatchObject({ kinds: { thread: 2 }, publishers: 1 });
    await register(other, "Silent");
    expect(await keptWith(2, 2)).toMatchObject({ publishers: 2 });
  }, 150_000);

  it("go on when one of them stops", async () => {
    await one.stop();
    const { key } = await register(other, "Later");
    await post(other, key, "third");
    expect(await keptWith(3, 3)).toMatchObject({ kinds: { thread: 3 }, publishers: 3 });
    const { body } = await eventually(
      () => call(other, "GET /board"),
      ({ body }) => body.data.posts.active === 3,
    );
    expect(body.data).toMatchObject({ posts: { active: 3 }, publishers: 3 });
  }, 150_000);
});
