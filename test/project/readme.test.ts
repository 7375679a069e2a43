import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(resolve(root, "README.md"), "utf8");

/** The code block that follows `<!-- readme-test: name -->`. */
function block(name: string): string {
  const match = new RegExp(`<!-- readme-test: ${name} -->\\n\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(readme);
  if (match?.[1] === undefined) throw new Error(`README.md has no block "${name}"`);
  return match[1];
}

describe("README.md", () => {
  let board: TestBoard;
  const here = (text: string) => text.replaceAll("http://localhost:8787", board.url);
  beforeAll(async () => {
    board = await startBoard({ EMBEDDINGS: "required" });
    await board.board.embedder.settled();
  });
  afterAll(() => board.stop());

  it("shows a REST example that answers as printed", async () => {
    const { stdout } = await run("bash", ["-c", here(block("rest"))], { cwd: root });
    expect(stdout).toBe(block("rest-output"));
  });

  it("shows an MCP example that answers as printed", async () => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", here(block("mcp"))], {
      cwd: root,
    });
    expect(stdout).toBe(block("mcp-output"));
  });

  it("names links that exist", () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(() => readFileSync(resolve(root, link))).not.toThrow(/ENOENT/);
  });
});
