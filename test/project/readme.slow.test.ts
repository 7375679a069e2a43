import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { eventually } from "../support/boards/client.ts";
import { embedded } from "../support/boards/settled.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

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
  const board = useTestBoard({ EMBEDDINGS: "required" });
  const here = (text: string) => text.replaceAll("http://localhost:8787", board.url);
  beforeAll(() => board.board.embedder.settled());

  it("shows a REST example that answers as printed", async () => {
    const bash = (script: string) => run("bash", ["-c", script], { cwd: root });
    // The reader waits a second for the model.
    const [posting = "", searching = ""] = here(block("rest")).split("sleep 1\n");
    await bash(posting);
    await embedded(board);
    const [variable] = posting.split("\n");
    expect((await bash(`${variable}\n${searching}`)).stdout).toBe(block("rest-output"));
  });

  it("shows an MCP example that answers as printed", async () => {
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", here(block("mcp"))], {
      cwd: root,
    });
    expect(stdout).toBe(block("mcp-output"));
  });

  it("shows in three lines how to start a board on MongoDB", async ({ skip }) => {
    const [install, set, start, ...more] = block("mongodb").trimEnd().split("\n");
    expect([install, start, more]).toEqual(["npm ci", "npm start", []]);
    const variable =
      /^export (\w+)='mongodb\+srv:\/\/[^']+\.mongodb\.net\/agent_board'$/.exec(set ?? "")?.[1] ?? "";

    const database = await mongodbFor("replicaSet", "readme");
    if (database === null) return skip();
    const onMongodb = await startBoard({ [variable]: database.url });
    const status = () => fetch(`${onMongodb.url}/readyz`).then((answer) => answer.status);
    expect(await eventually(status, (code) => code === 200)).toBe(200);
    expect(await database.db.listCollections({ name: "posts" }).toArray()).toHaveLength(1);
    await onMongodb.stop();
    await database.drop();
  });
});

describe("the documents", () => {
  const folders = [".", "docs", "docs/decisions", "demo", "bench"];
  const documents = folders.flatMap((folder) =>
    readdirSync(resolve(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  );

  it.each(documents)("link only to targets that exist: %s", (document) => {
    const text = readFileSync(resolve(root, document), "utf8");
    const links = [...text.matchAll(/\]\((?!http)([^)#]*)(?:#([^)]+))?\)/g)];
    if (document === "README.md") expect(links.length).toBeGreaterThan(5);
    for (const [, path = "", anchor] of links) {
      const target = path === "" ? resolve(root, document) : resolve(root, dirname(document), path);
      expect(existsSync(target), target).toBe(true);
      if (anchor !== undefined) expect(anchorsIn(readFileSync(target, "utf8"))).toContain(anchor);
    }
  });
});

/** The anchors that the host of a repository gives to headings. */
function anchorsIn(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
