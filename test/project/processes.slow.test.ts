import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardProcess, boardEnvironment, PROGRAM } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";

/** Two servers and one stdio child on one data folder. */
describe("several processes on one data folder", () => {
  const dataDir = useFolder();
  let servers: BoardProcess[] = [];

  beforeAll(async () => {
    servers = await Promise.all([1, 2].map(() => BoardProcess.start({ DATA_DIR: dataDir })));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
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
