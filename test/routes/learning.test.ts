import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";
import { CLIENTS, type ToolAnswer } from "../support/clients/mcp-clients.ts";

describe("a saved query that learns from its owner", () => {
  let board: TestBoard;
  let key: string;
  let fence: string;
  beforeAll(async () => {
    board = await startBoard();
    ({ key } = await register(board));
    fence = await subscribe({ tags: "fence" });
  });
  afterAll(() => board.stop());

  const subscribe = async (query: object): Promise<string> =>
    (await call(board, "POST /subscriptions", { query }, { key })).body.data.id;
  const judge = (id: string, word: object) => call(board, `PATCH /subscriptions/${id}`, word, { key });
  const checkSubscription = async (
    { url }: TestBoard,
    args: Record<string, unknown>,
    path = "/mcp",
  ): Promise<ToolAnswer> => {
    const client = await CLIENTS["2026-07-28"]?.({ url: url + path, key });
    if (client === undefined) throw new Error("no such client");
    const answer = await client.call("check_subscription", args);
    await client.close();
    return answer;
  };
  const pendingIds = async (id: string): Promise<string[]> => {
    const { body } = await call(board, `GET /subscriptions/${id}/pending`, undefined, { key });
    return body.data.map((match: { id: string }) => match.id);
  };
  /** Writes a post and waits until it has been matched. */
  const post = async (title: string, body: string): Promise<string> => {
    const { id } = await write(board, key, { title, body });
    const { id: last } = await write(board, key, { title: "Fence", tags: ["fence"] });
    await eventually(
      () => pendingIds(fence),
      (ids) => ids.includes(last),
    );
    return id;
  };
  const DIGITAL = "Weighted keyboard with headphones, stand and pedal, hardly played.";

  it("refuses what is like a post called not relevant, although every word occurs, until that is taken back", async () => {
    const id = await subscribe({ q: "piano lessons" });
    const wrong = await post("Piano, lessons included", DIGITAL);
    expect(await pendingIds(id)).toEqual([wrong]);
    const { status, body } = await judge(id, { not_relevant: [wrong] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.describes).toMatch(
      /^Posts about "piano lessons"; learnt from your word on 1 post \(1 not relevant\), cut /,
    );
    const alike = await post("Piano with lessons included", `${DIGITAL} Delivery is free.`);
    const other = await post(
      "Learn with Ana",
      "Patient teacher of the piano: lessons at your home in the evening.",
    );
    expect(await pendingIds(id)).toEqual([wrong, other]);
    const undone = (await judge(id, { forget: ["all"] })).body.data;
    expect(undone.describes).toBe('Posts about "piano lessons"');
    const again = await post("Piano with lessons included too", `${DIGITAL} Pick up only.`);
    const seen = await pendingIds(id);
    expect(seen).toContain(again);
    expect(seen).not.toContain(alike);
  });

  it("learns from check_subscription too, and a later word on the same post replaces the earlier one", async () => {
    const id = await subscribe({ q: "violin" });
    const known = await post("Violin for a child", "Quarter size, with bow and case.");
    const looked = await checkSubscription(board, { id, not_relevant: known });
    expect(looked.isError, looked.text).toBe(false);
    const read = async () =>
      (await call(board, `GET /subscriptions/${id}`, undefined, { key })).body.data.describes;
    expect(await read()).toContain("on 1 post (1 not relevant)");
    await judge(id, { relevant: [known] });
    expect(await read()).toContain("on 1 post (0 not relevant)");
    await judge(id, { query: { q: "viola" } });
    expect(await read()).toBe('Posts about "viola"');
  });

  it("learns nothing from a GET, which is safe, and says that it is no parameter", async () => {
    const id = await subscribe({ q: "viola" });
    const { id: known } = await write(board, key, { title: "Viola" });
    const path = `GET /subscriptions/${id}/pending?not_relevant=${known}` as const;
    const { status, body } = await call(board, path, undefined, { key });
    expect([status, body.meta.note]).toEqual([
      200,
      expect.stringContaining("`not_relevant` is not a parameter"),
    ]);
    const { data } = (await call(board, `GET /subscriptions/${id}`, undefined, { key })).body;
    expect(data.describes).toBe('Posts about "viola"');
  });

  it("takes no word while the board is read-only, or where the server only reads", async () => {
    const id = await subscribe({ q: "cello" });
    const { id: known } = await write(board, key, { title: "Cello" });
    const word = { id, not_relevant: known };
    const reading = await checkSubscription(board, word, "/mcp/readonly");
    expect(reading.text).toContain("`not_relevant` is not a parameter");
    const readOnly = await startBoard({ READ_ONLY: "on" }, { dataDir: board.dataDir });
    const refused = await checkSubscription(readOnly, word);
    const looked = await checkSubscription(readOnly, { id });
    await readOnly.stop();
    expect(refused.text).toMatch(/^read_only: /);
    expect(looked.isError, looked.text).toBe(false);
    const { data } = (await call(board, `GET /subscriptions/${id}`, undefined, { key })).body;
    expect(data.describes).toBe('Posts about "cello"');
  });

  it("has nothing to learn where its filters alone decide, and says so", async () => {
    const id = await subscribe({ kind: "offer" });
    const { id: any } = await write(board, key, { title: "Anything" });
    const { body } = await judge(id, { not_relevant: [any] });
    expect(body.meta.note).toContain("nothing was learnt");
  });

  it("fails with post_not_found for a post that is not there, and with invalid_request for one called both", async () => {
    const id = await subscribe({ q: "harp" });
    expect((await judge(id, { not_relevant: ["nothing000"] })).body.error.code).toBe("post_not_found");
    const { id: post } = await write(board, key, { title: "Harp" });
    const both = await judge(id, { not_relevant: [post], relevant: [post] });
    expect(both.body.error).toMatchObject({ code: "invalid_request", issues: [{ path: "relevant" }] });
    const foreign = await register(board);
    const answer = await call(board, `PATCH /subscriptions/${id}`, { not_relevant: [post] }, foreign);
    expect(answer.body.error.code).toBe("subscription_not_found");
  });
});
