import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Who may import whom. A folder sees itself and what is listed after it, nothing else. `src/main.ts`, `src/app.ts`,
 * `src/open-board.ts`, `src/catalog.ts` and `src/cli` put the program together and see everything.
 * See docs/architecture.md.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  tools: ["src/operation.ts", "src/schema"],
  "src/routes": ["src/operation.ts", "src/schema"],
  "src/adapters": [
    "src/operation.ts",
    "src/operation-failures.ts",
    "src/domain",
    "src/ports",
    "src/search",
    "src/schema",
    "src/failures.ts",
  ],
  "src/operation-failures.ts": ["src/operation.ts", "src/failures.ts"],
  "src/operation.ts": ["src/domain", "src/ports", "src/failures.ts"],
  "src/jobs": ["src/domain", "src/ports", "src/search", "src/schema"],
  "src/import": ["src/schema", "src/failures.ts"],
  "src/transfer": ["src/ports", "src/schema"],
  "src/domain": ["src/ports", "src/search", "src/schema", "src/failures.ts"],
  "src/search": ["src/schema"],
  "src/ports": ["src/schema"],
  "src/store/mongodb": ["src/search-index", "src/search", "src/ports", "src/schema"],
  "src/store/sqlite": ["src/search-index", "src/ports", "src/schema"],
  "src/store/open.ts": ["src/ports"],
  // An index in an SQLite database: the SQLite store's own, and the replica of a process beside MongoDB.
  "src/search-index": ["src/ports", "src/search", "src/schema"],
  "src/embed": ["src/ports"],
  "src/outbound": ["src/ports"],
  "src/schema": [],
  "src/failures.ts": [],
  "src/config.ts": [],
};
const SEES_ALL = [
  "src/main.ts",
  "src/app.ts",
  "src/open-board.ts",
  "src/open-data.ts",
  "src/catalog.ts",
  "src/cli/",
];
/** The only files that may import an MCP SDK. */
const MCP_FILES = /^src\/(adapters\/mcp\/[\w-]+|cli\/stdio)\.ts$/;
/** The only files that may import MongoDB's driver. */
const MONGODB_FILES = /^src\/store\/mongodb\//;

const root = resolve(import.meta.dirname, "../..");
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const sources = ["src", "tools"].flatMap(filesOf);
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const layerOf = (file: string) =>
  Object.keys(MAY_IMPORT).find((layer) => file === layer || file.startsWith(`${layer}/`));
const importsOf = (file: string) =>
  [...textOf(file).matchAll(/(?:from|import\()\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] ?? "")),
  );

/** The import edges that point the wrong way, as `importer -> imported`. */
function wrongWay(files: readonly string[], edges: (file: string) => string[]): string[] {
  return files.flatMap((file) => {
    const layer = layerOf(file);
    if (layer === undefined) return [];
    const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])];
    return edges(file)
      .filter((to) => !allowed.some((name) => to === name || to.startsWith(`${name}/`)))
      .map((to) => `${file} -> ${to}`);
  });
}

describe("layout", () => {
  it("knows a layer for every source file", () => {
    const homeless = sources.filter(
      (file) => layerOf(file) === undefined && !SEES_ALL.some((name) => file.startsWith(name)),
    );
    expect(homeless).toEqual([]);
    expect(sources.length).toBeGreaterThan(80);
  });

  it("lets imports point downwards only", () => {
    expect(wrongWay(sources, importsOf)).toEqual([]);
  });

  it("notices a store that reaches into the domain", () => {
    expect(wrongWay(["src/store/sqlite/index.ts"], () => ["src/domain/posts/index.ts"])).toEqual([
      "src/store/sqlite/index.ts -> src/domain/posts/index.ts",
    ]);
  });

  it("keeps the operation's types and the domain's apart: operations see types of the domain only", () => {
    const values = textOf("src/operation.ts").match(/^import (?!type)[^;]*\/domain\//gm) ?? [];
    expect(values).toEqual([]);
  });

  it("lets nothing but the MCP adapters import an MCP SDK", () => {
    const others = sources.filter(
      (file) => !MCP_FILES.test(file) && textOf(file).includes('"@modelcontextprotocol/'),
    );
    expect(others).toEqual([]);
  });

  it("lets nothing but the store and the index that is mongot's import MongoDB's driver", () => {
    const others = sources.filter(
      (file) => !MONGODB_FILES.test(file) && textOf(file).includes('from "mongodb"'),
    );
    expect(others).toEqual([]);
  });

  it("reads the environment and the clock in the program's top only", () => {
    const readers = sources.filter(
      (file) =>
        !SEES_ALL.some((name) => file.startsWith(name)) &&
        !/^src\/(embed|outbound)\//.test(file) &&
        /process\.env|Date\.now\(\)/.test(textOf(file)),
    );
    expect(readers).toEqual([]);
  });

  it("leaves no unfinished marks", () => {
    const marks = sources.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/.test(textOf(file)));
    expect(marks).toEqual([]);
  });
});
