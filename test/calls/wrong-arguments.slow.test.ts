import { describe, expect, it } from "vitest";
import { recordedCatalog } from "../../scripts/recorded/catalog.ts";
import { exampleOf, requestOf } from "../../scripts/recorded/story.ts";
import { call } from "../support/boards/client.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";

const TOOLS = recordedCatalog().tools.map(({ name }) => name);
/** Values that no field accepts, or few fields. */
const WRONG: readonly unknown[] = [
  -0.5,
  1e9,
  "never",
  "x".repeat(9_000),
  "javascript:alert(1)",
  "2026-13-45",
  Array.from({ length: 120 }, (_, n) => `t${n}`),
  { nonsense: { deeper: 1 } },
  { lat: 120, lng: "x", name: 5, q: 7, kind: "sale", near: "Nowhere-at-all" },
];
/** Phrases of zod's own messages. */
const VALIDATOR = /Too (big|small)|Invalid (input|option|string)|expected|received|[<>]=|[Uu]nrecognized|NaN/;
const REST_WORDS =
  /\b(GET|POST|PATCH|DELETE) \/|Authorization|`issues`|Retry-After|\bmeta\.|[Rr]equest body|query parameter/;
const MCP_WORDS = new RegExp(`\`(${TOOLS.join("|")})\`|BOARD_API_KEY|stdio|argument|\\btools?\\b`);

const board = useTestBoard();
const me = usePublisher(board);
const client = useClient(board, "/mcp", me);
/** Whoever has a key is told that it has one, whatever else is wrong. */
const newcomer = useClient(board, "/mcp");

/** The example of a tool with each of its fields wrong in each way. */
function wrongInputs(tool: string, fields: readonly string[]): Record<string, unknown>[] {
  const operation = board.board.catalog.tools.find(({ name }) => name === tool);
  const example = operation === undefined ? {} : exampleOf(operation, (text) => text);
  return [
    {},
    ...fields.flatMap((field) => WRONG.map((value) => ({ ...example, [field]: value }))),
    ...fields.map((field) => ({ ...example, [`${field}_`]: "x" })),
  ].map(({ idempotency_key: _, ...input }) => input);
}

describe.each(TOOLS)("%s with wrong arguments", (tool) => {
  it("over MCP, fails in sentences of the board, with a call of this server and no word of REST", async () => {
    const listed = (await client.list("tools")).find(({ name }) => name === tool);
    const fields = Object.keys(listed.inputSchema.properties).filter((name) => name !== "api_key");
    let refused = 0;
    for (const args of wrongInputs(tool, fields)) {
      const { text, isError } = await (tool === "register_publisher" ? newcomer : client).call(tool, args);
      if (!isError) continue;
      refused += 1;
      const lines = text.split("\n");
      const said = [text, JSON.stringify(args).slice(0, 200)].join("\n");
      expect(text, said).not.toMatch(VALIDATOR);
      expect(text, said).not.toMatch(REST_WORDS);
      for (const line of lines.filter((each) => each.startsWith("- ")))
        expect(line, said).toMatch(/^- [\w.]+: ["`A-Z].*[.?]$/);
      const hint = lines.find((line) => line.startsWith("Hint: ")) ?? "";
      expect(
        TOOLS.some((name) => hint.includes(`\`${name}\``)),
        said,
      ).toBe(true);
    }
    expect(refused).toBeGreaterThanOrEqual(3 * fields.length);
  });

  it("over REST, fails in sentences of the board, and names no tool", async () => {
    const operation = board.board.catalog.tools.find(({ name }) => name === tool);
    if (operation === undefined) throw new Error("no such tool");
    const { rest, input, auth } = operation;
    for (const args of wrongInputs(tool, Object.keys(input.shape))) {
      const inPath = Object.fromEntries(
        Object.entries(args).map(([name, value]) => [
          name,
          rest.path.includes(`{${name}}`) ? encodeURIComponent(String(value)).slice(0, 500) : value,
        ]),
      );
      if (rest.path.includes("{id}") && inPath["id"] === undefined) continue;
      const { request, body } = requestOf(`${rest.method} ${rest.path}`, inPath);
      const answer = await call(
        board,
        request,
        body ?? (rest.method === "GET" ? undefined : {}),
        auth === "key" ? me : {},
      );
      if (answer.body.ok === true) continue;
      const { error } = answer.body;
      const said = [JSON.stringify(error), request.slice(0, 200)].join("\n");
      for (const sentence of [
        error.message,
        error.hint,
        ...error.issues.map((issue: { message: string }) => issue.message),
      ]) {
        expect(sentence, said).toMatch(/^["`A-Z].*[.?]$/);
        expect(sentence, said).not.toMatch(VALIDATOR);
        expect(sentence, said).not.toMatch(MCP_WORDS);
      }
    }
  });
});
