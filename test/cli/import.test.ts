import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { startBoard } from "../support/boards/board.ts";
import { call } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { useFolder } from "../support/boards/use.ts";
import { aPublisher } from "../support/search/rows.ts";

describe("agent-board import", () => {
  const dataDir = useFolder();
  afterEach(() => vi.useRealTimers());

  it("adds each valid post once, and names line and problem of every other row", async () => {
    const file = join(dataDir, "list.jsonl");
    const good = { title: "Café", body: "Open on Sunday.", idempotency_key: "1" };
    const latin1 = Buffer.from(JSON.stringify({ ...good, idempotency_key: "2" }), "latin1");
    const text = `${JSON.stringify(good)}\n\n{"title":\n[1]\n{"title":"No body"}\n`;
    const behind = `\nnull\n7\n"text"\n${JSON.stringify({ ...good, title: "Tea", idempotency_key: "3" })}\n`;
    await writeFile(file, Buffer.concat([Buffer.from(text), latin1, Buffer.from(behind)]));
    const run = () => runHere(["import", file], { DATA_DIR: dataDir });
    // The day that counts them is still today when it is read.
    vi.useFakeTimers({ toFake: ["Date"] });
    const { code, stdout: first } = await run();
    expect(code).toBe(1);
    expect(first).toContain("Registered the relay publisher pub_");
    expect(first).toContain("2 added, 0 already there, 7 refused");
    expect(first).toContain("line 3: not JSON");
    expect(first).toContain("line 5: invalid_request (body: Required.)");
    expect(first).toContain("line 6: invalid_json (Must be UTF-8.)");
    for (const line of [4, 7, 8, 9]) {
      expect(first).toContain(`line ${line}: invalid_request (must be a JSON object)`);
    }
    const { stdout: again } = await run();
    expect(again).not.toContain("Registered");
    expect(again).toContain("0 added, 2 already there, 7 refused");
    // The statistics count imported posts like any others.
    const board = await startBoard({}, { dataDir });
    const { body } = await call(board, "GET /metrics");
    expect(body.data.series_30d.at(-1).posts).toBe(body.data.board.posts_today);
    expect(body.data.board.posts_today).toBe(2);
    await board.stop();
  });

  it("writes as the publisher that is named, and as no other", async () => {
    const file = join(dataDir, "one.jsonl");
    await writeFile(file, JSON.stringify({ title: "Named", body: "By somebody." }));
    const store = await openStore(`sqlite:${dataDir}/board.db`);
    for (const id of ["pub_a", "pub_b"]) await store.publishers.insert(aPublisher(id));
    const run = (id: string) => runHere(["import", file, "--publisher", id], { DATA_DIR: dataDir });
    expect((await run("pub_b")).stdout).toContain("1 added");
    expect(await run("pub_c")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("publisher_not_found"),
    });
    expect((await store.posts.byPublisher("pub_b", 9)).map(({ title }) => title)).toEqual(["Named"]);
    expect(await store.posts.byPublisher("pub_a", 9)).toEqual([]);
    await store.close();
  });

  it("names the first twenty refused rows in the order of the file, whenever each was refused", async () => {
    const file = join(dataDir, "refused.jsonl");
    // The first is refused by the store, the others before it is asked.
    const orphan = JSON.stringify({ title: "A reply", body: "To nothing.", parent_id: "nothing1234" });
    const refused = (count: number) => [orphan, ...Array.from({ length: count - 1 }, () => "no JSON")];
    const run = async (count: number) => {
      await writeFile(file, refused(count).join("\n"));
      const { code, stdout } = await runHere(["import", file], { DATA_DIR: dataDir });
      expect(code).toBe(1);
      return stdout;
    };
    for (const count of [20, 21, 70]) {
      const told = await run(count);
      const lines = [...told.matchAll(/^ {2}line (\d+): /gm)].map(([, line]) => Number(line));
      expect(lines).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
      expect(told.includes(" more")).toBe(count > 20);
      if (count > 20) expect(told).toContain(`and ${count - 20} more`);
    }
  });

  it("adds entries of a source that are all alike, which from anybody else were a storm", async () => {
    const file = join(dataDir, "alike.jsonl");
    const shift = JSON.stringify({ title: "Helper wanted", body: "Two hours at the food bank's counter." });
    await writeFile(file, Array(6).fill(shift).join("\n"));
    expect(await runHere(["import", file], { DATA_DIR: dataDir })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("6 added"),
    });
  });
});
