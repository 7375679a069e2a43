import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { register } from "../support/boards/client.ts";
import { CLIENTS, type TestClient, type ToolAnswer } from "../support/clients/mcp-clients.ts";

const run = promisify(execFile);
const EXAMPLE = { post: "7fKm3Qx9Rt", subscription: "sub_4yTq8WnZ2kPv6R" };

let board: TestBoard;
let client: TestClient;
let manual: string;

beforeAll(async () => {
  board = await startBoard({}, { clock: () => Date.parse("2026-11-20T09:00:00.000Z") });
  manual = await (await fetch(`${board.url}/llms.txt`)).text();
  const { key } = await register(board);
  const connect = CLIENTS["2026-07-28"];
  if (connect === undefined) throw new Error("no such client");
  client = await connect({ url: `${board.url}/mcp`, key });
});
afterAll(async () => {
  await client.close();
  await board.stop();
});

/** Sends a tool what the manual prints as its example, with ids that exist. */
function tell(tool: string, ids: Record<string, string> = {}): Promise<ToolAnswer> {
  const section = manual.split(`### ${tool}\n`)[1]?.split(/\n##/)[0] ?? "";
  const printed = /E\.g\. `(\{.*\})`/.exec(section)?.[1] ?? "{}";
  const real = Object.entries(ids).reduce((text, [example, id]) => text.replaceAll(example, id), printed);
  return client.call(tool, JSON.parse(real));
}

describe("the examples of the manual", () => {
  it("work over MCP, all of them, one after the other", async () => {
    const told = new Map<string, ToolAnswer>();
    const keep = async (tool: string, ids?: Record<string, string>) => {
      const answer = await tell(tool, ids);
      expect([tool, answer.isError, answer.isError ? answer.text : ""]).toEqual([tool, false, ""]);
      told.set(tool, answer);
      return answer.data;
    };
    await keep("about");
    expect(await keep("register_publisher")).toMatchObject({ api_key: expect.stringMatching(/^bbk_/) });
    const { id: post } = await keep("create_post");
    expect((await keep("search")).posts).toMatchObject([{ id: post, kind: "event" }]);
    expect(await keep("get_post", { [EXAMPLE.post]: post })).toMatchObject({ id: post, kind: "event" });
    expect(await keep("report_post", { [EXAMPLE.post]: post })).toMatchObject({ status: "received" });
    const { id: subscription } = await keep("subscribe");
    expect((await keep("check_subscription", { [EXAMPLE.subscription]: subscription })).posts).toEqual([]);
    expect([...told.keys()].sort()).toEqual(board.board.catalog.tools.map(({ name }) => name));
  });

  it("are all of the manual's: each tool that takes anything prints one", () => {
    const printed = [...manual.matchAll(/E\.g\. `\{/g)];
    const taking = board.board.catalog.tools.filter(({ input }) => Object.keys(input.shape).length > 0);
    expect(printed).toHaveLength(taking.length);
  });

  it("work in a shell, where they are commands", async () => {
    const commands = [...manual.matchAll(/`(curl [^`]+)`/g)].map(([, command]) => command ?? "");
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const { stdout } = await run("bash", ["-c", command.replace(/^curl /, "curl -s ")]);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, meta: { ranking: "lexical" } });
    }
  });

  it("of addresses answer", async () => {
    const addresses = [
      ...new Set([...manual.matchAll(/\bhttps?:\/\/[^\s`)\],;]+/g)].map(([url]) => url.replace(/\.$/, ""))),
    ];
    const ours = addresses.filter((url) => url.startsWith(board.url) && !url.includes("{"));
    expect(ours.length).toBeGreaterThan(3);
    for (const url of ours) {
      if (url === `${board.url}/api/v1`) continue;
      const { status } = await fetch(url.replace(/'.*$/, ""));
      // The tool server answers POST only.
      expect([url, status]).toEqual([url, url.endsWith("/mcp") ? 405 : 200]);
    }
  });
});
