import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../support/boards/client.ts";
import { waitersAt } from "../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { HANDSHAKE, StdioBoard, stdioCommand } from "../../support/clients/stdio.ts";

const board = useTestBoard();
const me = usePublisher(board);
let id: string;
beforeAll(async () => {
  id = (await call(board, "POST /subscriptions", { query: { tags: "wait" } }, me)).body.data.id;
});

function startStdio(args: string[] = []): StdioBoard {
  const child = new StdioBoard(stdioCommand(board.dataDir, args, { BOARD_API_KEY: me.key }));
  child.request("initialize", HANDSHAKE);
  return child;
}

/** Begins to wait for matches from now on; resolves to the id of the request. */
async function wait(child: StdioBoard): Promise<number> {
  const { body } = await call(board, `GET /subscriptions/${id}/pending?limit=100`, undefined, me);
  const args = { id, wait_s: 50, cursor: body.next_cursor };
  return child.request("tools/call", { name: "check_subscription", arguments: args });
}

const cancel = (child: StdioBoard, requestId: number) =>
  child.send({ method: "notifications/cancelled", params: { requestId } });

const textOf = async (child: StdioBoard, request: number): Promise<string> =>
  (await child.answer(request)).result.content[0].text;

describe("over stdio, a call that waits", () => {
  it("hears of a match that another process made, goes unanswered once it is cancelled, and is answered when the host closes stdin", async () => {
    const child = startStdio();
    const dropped = await wait(child);
    cancel(child, dropped);
    const waiting = await wait(child);
    await child.ask("tools/list");
    await write(board, me.key, { title: "From the other process", tags: ["wait"] });
    expect(await textOf(child, waiting)).toContain('"From the other process"');
    const last = await wait(child);
    await child.ask("tools/list");
    expect((await child.end()).code).toBe(0);
    expect(await textOf(child, last)).toMatch(/about to stop[\s\S]*No new matches/);
    expect(child.answers.map((answer) => answer.id)).not.toContain(dropped);
  });
});

describe("through the relay, a call that waits", () => {
  it("is answered by the far board, and frees its place there when it is cancelled or the relay dies", async () => {
    const child = startStdio(["--url", board.url]);
    const first = await wait(child);
    await waitersAt(board, 1);
    await write(board, me.key, { title: "Through the relay", tags: ["wait"] });
    expect(await textOf(child, first)).toContain('"Through the relay"');

    const second = await wait(child);
    await waitersAt(board, 1);
    cancel(child, second);
    await waitersAt(board, 0);

    await wait(child);
    await waitersAt(board, 1);
    child.process.kill("SIGKILL");
    await waitersAt(board, 0);
  });
});
