import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardProcess, boardEnvironment, PROGRAM } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { distinctText } from "../support/texts/texts.ts";

/** Two servers and one stdio child on one data folder. */
describe("several processes on one data folder", () => {
  let dataDir: string;
  let servers: BoardProcess[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "board-"));
    servers = await Promise.all([1, 2].map(() => BoardProcess.start({ DATA_DIR: dataDir })));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await rm(dataDir, { recursive: true, force: true });
  });

  it("see each other's posts by id, in lists and in search within a second", async () => {
    const [one, two] = servers as [BoardProcess, BoardProcess];
    const { key } = await register(one);
    const client = await stdioClient(dataDir, key);
    const words = ["first lighthouse", "second windmill", "third aqueduct"];
    const made = await Promise.all([
      call(one, "POST /posts", { title: words[0], body: "From one." }, { key }),
      call(two, "POST /posts", { title: words[1], body: "From two." }, { key }),
      client.callTool({ name: "create_post", arguments: { title: words[2], body: "From stdio." } }),
    ]);
    expect(made[0].status).toBe(201);
    expect(made[1].status).toBe(201);
    expect(made[2].isError).not.toBe(true);
    for (const server of [one, two]) {
      for (const word of words) {
        const found = await eventually(
          () => call(server, `GET /search?q=${encodeURIComponent(word)}`),
          ({ body }) => body.data.some((post: { title: string }) => post.title === word),
          1_000,
        );
        expect(found.body.data[0]?.title).toBe(word);
      }
    }
    const overStdio = await eventually(
      () => client.callTool({ name: "search", arguments: { q: "lighthouse" } }),
      (result) => JSON.stringify(result.content).includes("first lighthouse"),
      1_000,
    );
    expect(JSON.stringify(overStdio.content)).toContain("first lighthouse");
    await client.close();
  });

  it("lose and duplicate nothing while they are killed in turn", async () => {
    const [, stable] = servers as [BoardProcess, BoardProcess];
    const { key } = await register(stable);
    const subscription = await call(stable, "POST /subscriptions", { query: { tags: "killed" } }, { key });
    const acknowledged = new Set<string>();
    const write = async (server: () => BoardProcess, from: number) => {
      for (let i = 0; i < 40; i += 1) {
        const n = from + i;
        const body = {
          ...distinctText(n),
          tags: ["killed"],
          idempotency_key: `killed-${n}`,
        };
        // A killed server refuses; the agent sends the same key again until it is answered.
        for (let tries = 0; ; tries += 1) {
          const answer = await call(server(), "POST /posts", body, { key }).catch(() => null);
          if (answer?.status === 201 || answer?.status === 200) {
            acknowledged.add(answer.body.data.id);
            break;
          }
          if (tries > 600) throw new Error(`post ${n} was never taken: ${JSON.stringify(answer?.body)}`);
          await new Promise((done) => setTimeout(done, 100));
        }
      }
    };
    let over = false;
    const killer = (async () => {
      for (let round = 0; round < 4 && !over; round += 1) {
        await new Promise((done) => setTimeout(done, 300));
        await servers[0]?.kill();
        await servers[0]?.start();
      }
    })();
    await Promise.all([write(() => servers[0] as BoardProcess, 0), write(() => stable, 1_000)]);
    over = true;
    await killer;

    expect(acknowledged.size).toBe(80);
    const found = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof call>> = await call(
        stable,
        `GET /posts?tags=killed&limit=30${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      for (const post of page.body.data) {
        expect(found.has(post.id)).toBe(false);
        found.add(post.id);
      }
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    expect(found).toEqual(acknowledged);

    const pending = `GET /subscriptions/${subscription.body.data.id}/pending?limit=100` as const;
    const matches = await eventually(
      () => call(stable, pending, undefined, { key }),
      ({ body }) => body.data.length >= 80,
      60_000,
    );
    const matched = matches.body.data.map((match: { id: string }) => match.id);
    expect(new Set(matched)).toEqual(acknowledged);
    expect(matched).toHaveLength(80);
    // The test starts six processes.
  });
});

async function stdioClient(dataDir: string, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...PROGRAM, "stdio"],
      env: boardEnvironment({ DATA_DIR: dataDir, BOARD_API_KEY: key }),
    }),
  );
  return client;
}
