import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardProcess } from "../support/boards/board-process.ts";
import { type Answer, call, eventually, register } from "../support/boards/client.ts";
import { turnsMsOf } from "../support/boards/turns.ts";
import { useFolder } from "../support/boards/use.ts";
import { prose, walk } from "../support/boards/writing.ts";
import { startWebhook, subscribeTo, type Webhook } from "../support/clients/webhooks.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import { ReplicaSet } from "../support/mongodb/replica-set.ts";

/** The board must answer within this time once the database does again. */
const BACK_MS = 10_000;
const SETTINGS = {
  SECRET_KEY: "the same on every machine of the board",
  WEBHOOK_ALLOW: "127.0.0.1",
  LOG_LEVEL: "fatal",
};

const mongod = await mongodCommand();

/** Two boards, each with a data folder of its own as on two machines, over a replica set of three members. */
describe.skipIf(mongod === null)("several machines on one replica set", () => {
  let database: ReplicaSet;
  const folder = useFolder();
  let boards: BoardProcess[];

  beforeAll(async () => {
    database = await ReplicaSet.start(mongod ?? [], 3);
    boards = await Promise.all(["one", "two"].map(machine));
  });
  afterAll(async () => {
    await Promise.all(boards.map((board) => board.kill()));
    await database.stop();
  });

  const machine = (name: string) =>
    BoardProcess.start({ DATA_DIR: join(folder, name), STORE_URL: database.url("board"), ...SETTINGS });
  const one = () => boards[0] as BoardProcess;
  const two = () => boards[1] as BoardProcess;

  it("share cursors and what was written", async () => {
    const { key } = await register(one());
    for (let n = 0; n < 5; n += 1)
      await written(() => (n % 2 === 0 ? one() : two()), key, `shared-${n}`, "shared");
    // Another machine's writes are found a moment later.
    for (const board of [one(), two()]) {
      const all = await eventually(
        () => answered(() => call(board, "GET /search?q=&tags=shared")),
        ({ body }) => body.data.length === 5,
      );
      expect(all.body.data).toHaveLength(5);
    }
    const page = (board: BoardProcess, cursor = "") =>
      answered(() => call(board, `GET /search?q=&tags=shared&limit=3${cursor}`));
    const first = await page(one());
    expect(first.body.data).toHaveLength(3);
    const next = await page(two(), `&cursor=${first.body.next_cursor}`);
    expect(next.body.data).toHaveLength(2);
    const ids = [...first.body.data, ...next.body.data].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(5);
  });

  it("lose no write and no match, and repeat no delivery, while machines and databases die", async () => {
    const webhook = await startWebhook();
    const { key } = await register(one());
    const polled = await call(one(), "POST /subscriptions", { query: { tags: "storm" } }, { key });
    const pushed = await subscribeTo(two(), key, webhook, { tags: "storm" });

    const acknowledged = new Set<string>();
    let over = false;
    const writing = Promise.all(
      [one, two].map(async (board, writer) => {
        for (let n = 0; !over; n += 1) {
          acknowledged.add(await written(board, key, `storm-${writer}-${n}`, "storm"));
        }
      }),
    );
    // Its outcome is awaited at the end.
    writing.catch(() => {});

    const tookMs: Record<string, number> = {};
    const back = async (what: string) => {
      const bothBack = async () => {
        for (const [n, board] of [one(), two()].entries()) {
          await written(() => board, key, `${what}-${n}`, "back");
          const ready = await eventually(
            () => board.isReady(),
            (answer) => answer,
          );
          expect(ready).toBe(true);
        }
      };
      tookMs[what] = await turnsMsOf(bothBack());
    };
    const calm = () => new Promise((done) => setTimeout(done, 500));

    await calm();
    await one().kill();
    await calm();
    await one().start();
    await calm();
    await database.stepDown();
    await database.primary();
    await back("after a step-down");
    await calm();
    await (await database.primary()).kill();
    await database.primary();
    await back("after the primary's death");
    await database.startAll();
    await calm();
    await database.killAll();
    await calm();
    await database.startAll();
    await back("after the death of all");
    await calm();
    over = true;
    await writing;

    for (const [what, took] of Object.entries(tookMs)) expect(took, what).toBeLessThan(BACK_MS);
    expect(acknowledged.size).toBeGreaterThan(50);
    for (const board of [one(), two()]) {
      const found = await eventually(
        () => walk(board, "/posts?tags=storm&limit=30").catch(() => []),
        (posts) => posts.length >= acknowledged.size,
      );
      expect(found.map(({ id }) => id).sort()).toEqual([...acknowledged].sort());
    }
    const matched = await eventually(
      () => pendingOf(two(), key, polled.body.data.id),
      (ids) => ids.length >= acknowledged.size,
      240_000,
    );
    expect(new Set(matched)).toEqual(acknowledged);
    expect(matched).toHaveLength(acknowledged.size);

    // The other machine sends what a dead one had claimed, once the lease ends.
    const arrived = () => new Set(webhook.messages.map(({ json }) => json.data.post.id));
    await eventually(
      async () => arrived().size,
      (size) => size >= acknowledged.size,
      240_000,
    );
    expect(arrived()).toEqual(acknowledged);
    expect(stableIds(webhook, pushed.id)).toBe(true);
    await webhook.stop();
  }, 600_000);
});

/** Writes a post as an agent does: the same call, with its idempotency key, until it is answered. */
async function written(
  board: () => BoardProcess,
  key: string,
  idempotencyKey: string,
  tag: string,
): Promise<string> {
  const post = { title: "A notice", body: prose(), tags: [tag], idempotency_key: idempotencyKey };
  const { status, body } = await answered(() => call(board(), "POST /posts", post, { key }));
  if (status >= 300) throw new Error(`${idempotencyKey} was refused: ${JSON.stringify(body)}`);
  return body.data.id;
}

/** Asks until a board is there and can reach its database. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const answer = await ask().catch(() => null);
    if (answer !== null && answer.status < 500) return answer;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("the board never answered");
}

/** Ids of the posts that wait at a subscription, repeated ones included. */
async function pendingOf(board: BoardProcess, key: string, id: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  for (;;) {
    const page = `GET /subscriptions/${id}/pending?limit=100${cursor}` as const;
    const { body } = await answered(() => call(board, page, undefined, { key }));
    if (body.data.length === 0) return ids;
    ids.push(...body.data.map((match: { id: string }) => match.id));
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** True when each message id belongs to one post, and each post came under one id. */
function stableIds(webhook: Webhook, subscription: string): boolean {
  const postOf = new Map<string, string>();
  for (const { headers, json } of webhook.messages) {
    const id = String(headers["webhook-id"]);
    if (!id.startsWith(`msg_${subscription}_`)) return false;
    if ((postOf.get(id) ?? json.data.post.id) !== json.data.post.id) return false;
    postOf.set(id, json.data.post.id);
  }
  return new Set(postOf.values()).size === postOf.size;
}
