import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { runExamples } from "../../scripts/recorded/story.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import type { ToolAnswer } from "../support/clients/mcp-clients.ts";

const run = promisify(execFile);

const board = useTestBoard({}, { clock: () => Date.parse("2026-11-20T09:00:00.000Z") });
const publisher = usePublisher(board);
const client = useClient(board, "/mcp/data", publisher);
const newcomer = useClient(board, "/mcp/data");
let manual: string;
beforeAll(async () => {
  manual = await (await fetch(`${board.url}/llms.txt`)).text();
});

/** The example that the manual prints for a tool. */
function printedExample(tool: string): string {
  const section = manual.split(`### ${tool}\n`)[1]?.split(/\n##/)[0] ?? "";
  return /E\.g\. `(\{.*\})`/.exec(section)?.[1] ?? "{}";
}

describe("the examples of the manual", () => {
  it("work over MCP, all of them, one after the other", async () => {
    const data: Record<string, ToolAnswer["data"]> = {};
    await runExamples(board.board.catalog.tools, publisher.id, async ({ name }, real) => {
      // Whoever has a key is a publisher already.
      const caller = name === "register_publisher" ? newcomer : client;
      const answer = await caller.call(name, JSON.parse(real(printedExample(name))));
      expect([name, answer.isError, answer.isError ? answer.text : ""]).toEqual([name, false, ""]);
      data[name] = answer.data;
      return answer.data;
    });
    expect(Object.keys(data).sort()).toEqual(board.board.catalog.tools.map(({ name }) => name));
    const event = { id: data["create_post"].id, kind: "event" };
    expect(data["register_publisher"]).toMatchObject({ api_key: expect.stringMatching(/^bbk_/) });
    expect(data["search"]).toMatchObject([event]);
    expect(data["get_post"]).toMatchObject(event);
    expect(data["report_post"]).toMatchObject({ status: "received" });
    expect(data["check_subscription"]).toEqual([]);
  });

  it("work in a shell if they are commands", async () => {
    const commands = [...manual.matchAll(/`(curl [^`]+)`/g)].map(([, command]) => command ?? "");
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const { stdout } = await run("bash", ["-c", command.replace(/^curl /, "curl -s ")]);
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, meta: { ranking: "lexical" } });
    }
  });

  it("answer if they are addresses", async () => {
    const addresses = [
      ...new Set([...manual.matchAll(/\bhttps?:\/\/[^\s`)\],;]+/g)].map(([url]) => url.replace(/\.$/, ""))),
    ];
    const ours = addresses.filter((url) => url.startsWith(board.url) && !url.includes("{"));
    expect(ours.length).toBeGreaterThan(3);
    for (const url of ours) {
      if (url === `${board.url}/api/v1`) continue;
      const { status } = await fetch(url.replace(/'.*$/, ""));
      // The tool servers answer POST only.
      expect([url, status]).toEqual([url, /\/mcp(\/\w+)?$/.test(url) ? 405 : 200]);
    }
  });
});
