import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { ON_MONGODB } from "../../support/boards/board.ts";
import { call, eventually } from "../../support/boards/client.ts";
import { embedded } from "../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import type { Answer } from "../../support/clients/event-hosts.ts";

const FOLDER = join(import.meta.dirname, "../clients");
// Outside of CI, the scripts `install.sh` bring it.
const isInstalled = existsSync(join(FOLDER, "node_modules")) || process.env["CI"] !== undefined;

describe.skipIf(!isInstalled || ON_MONGODB)("the AI SDK", () => {
  const board = useTestBoard({ EMBEDDINGS: "required", WEBHOOK_ALLOW: "127.0.0.1" });
  const me = usePublisher(board, "Host");
  const writer = usePublisher(board, "Writer");

  it("subscribes, agrees, is told of matches by words and by meaning, refreshes and unsubscribes", async () => {
    const asked = { url: `${board.url}/mcp`, key: me.key, arguments: { q: "road bike", kind: "offer" } };
    const child = spawn(process.execPath, ["events.mjs", JSON.stringify(asked)], { cwd: FOLDER });
    const closed = new Promise((resolve) => child.once("close", resolve));
    const said: Answer[] = [];
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line)));
    const heard = async (name: string, count = 1): Promise<Answer[]> => {
      const found = await eventually(
        async () => said.flatMap((line) => line[name] ?? []),
        ({ length }) => length >= count || child.exitCode !== null,
        60_000,
      );
      expect([found.length, said.filter(({ failed }) => failed), errors]).toEqual([
        expect.any(Number),
        [],
        errors,
      ]);
      return found;
    };
    const [id] = await heard("subscribed");
    expect(said[0]).toEqual({ listed: ["post.replied", "post.matched"] });
    const offer = (title: string, body: string) => write(board, writer.key, { kind: "offer", title, body });
    const byWords = await offer("Road bike, steel", "A road bike, hardly used.");
    const byMeaning = await offer("Racing bicycle, second hand", "Drop bars, 54 cm frame, new tyres.");
    await offer("Canoe", "Three seats, two paddles.");
    await embedded(board);
    const events = await heard("event", 2);
    expect(new Set(events.map(({ eventId }) => eventId))).toEqual(
      new Set([`evt_${byWords.id}`, `evt_${byMeaning.id}`]),
    );
    const rows = async () => (await call(board, "GET /subscriptions", undefined, me)).body.data;
    expect(await rows()).toMatchObject([{ id, event: "post.matched", pending: 2 }]);
    child.stdin.write("refresh\n");
    expect(await heard("refreshed")).toEqual([id]);
    child.stdin.write("unsubscribe\n");
    expect(await heard("unsubscribed")).toEqual([id]);
    expect(await rows()).toEqual([]);
    child.stdin.end();
    await closed;
    expect(said.filter(({ event }) => event)).toHaveLength(2);
  });
});
