import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Which folder may import which. A folder sees itself and the entries listed after it, nothing else. `src/main.ts`,
 * `src/app.ts`, `src/open-board.ts`, `src/board/catalog.ts` and `src/cli` put the program together and see everything.
 * See docs/architecture.md.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  tools: ["src/board/operation.ts", "src/schema"],
  demo: [],
  "src/routes": ["src/board/operation.ts", "src/schema"],
  "src/adapters": [
    "src/board/operation.ts",
    "src/board/operation-failures.ts",
    "src/domain",
    "src/ports",
    "src/search/ranking",
    "src/search/text",
    "src/schema",
    "src/data",
    "src/board/failures.ts",
    "src/platform",
  ],
  "src/board/operation-failures.ts": ["src/board/operation.ts", "src/board/failures.ts"],
  "src/board/operation.ts": ["src/domain", "src/ports", "src/board/failures.ts"],
  "src/jobs": [
    "src/domain",
    "src/ports",
    "src/search/ranking",
    "src/search/text",
    "src/schema",
    "src/platform",
  ],
  "src/syndication": [
    "src/domain",
    "src/ports",
    "src/search/ranking",
    "src/search/text",
    "src/schema",
    "src/board/failures.ts",
    "src/platform",
  ],
  "src/transfer": ["src/ports", "src/records", "src/platform"],
  "src/domain": [
    "src/ports",
    "src/search/standing",
    "src/search/ranking",
    "src/search/text",
    "src/schema",
    "src/gazetteer",
    "src/data",
    "src/board/failures.ts",
    "src/platform",
  ],
  "src/search/standing": ["src/search/ranking", "src/search/text", "src/schema"],
  // An index in an SQLite database: the SQLite store's own, and the replica of a process beside MongoDB.
  "src/search/index": ["src/search/ranking", "src/search/text", "src/ports", "src/schema", "src/platform"],
  "src/search/ranking": ["src/schema"],
  "src/search/text": ["src/data", "src/schema"],
  "src/ports": ["src/records", "src/schema"],
  "src/records": ["src/schema", "src/platform"],
  "src/store/open.ts": ["src/store/module.ts", "src/ports"],
  "src/store/mongodb": [
    "src/platform",
    "src/store/module.ts",
    "src/store/rules",
    "src/search/index",
    "src/search/standing",
    "src/search/ranking",
    "src/search/text",
    "src/ports",
    "src/records",
    "src/schema",
  ],
  "src/store/sqlite": [
    "src/platform",
    "src/store/module.ts",
    "src/store/rules",
    "src/search/index",
    "src/ports",
    "src/records",
    "src/schema",
  ],
  "src/store/module.ts": ["src/ports"],
  "src/store/rules": ["src/ports", "src/schema"],
  "src/embed": ["src/ports", "src/search/text", "src/schema", "src/data", "src/platform"],
  "src/outbound": ["src/ports", "src/platform"],
  "src/schema": ["src/data", "src/gazetteer", "src/platform"],
  "src/gazetteer": ["src/data"],
  "src/data": [],
  "src/board/failures.ts": [],
  "src/config.ts": [
    ...["src/domain/site.ts", "src/schema", "src/board/failures.ts", "src/platform"],
    "src/search/text",
  ],
  "src/platform": [],
  "src/env-file.ts": ["src/board/failures.ts"],
};
const SEES_ALL = ["src/main.ts", "src/app.ts", "src/open-board.ts", "src/board/catalog.ts", "src/cli/"];
/** The only files that may import an MCP SDK. */
const MCP_FILES = /^src\/adapters\/mcp\/([\w-]+\/)?[\w-]+\.ts$/;
/** The only files that may import MongoDB's driver. */
const MONGODB_FILES = /^src\/store\/mongodb\//;

const root = resolve(import.meta.dirname, "../..");
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes("node_modules/"));
const sources = ["src", "tools", "demo"].flatMap(filesOf);
const others = ["test", "bench"].flatMap(filesOf);
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const layerOf = (file: string) =>
  Object.keys(MAY_IMPORT).find((layer) => file === layer || file.startsWith(`${layer}/`));
const importsOf = (file: string) =>
  [...textOf(file).matchAll(/(?:from|import\()\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] ?? "")),
  );

/** The first circle that imports make, as `a -> b -> a`, or null. */
function circleIn(files: readonly string[]): string | null {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" -> ");
    if (done.has(file)) return null;
    const circle = importsOf(file)
      .map((to) => walk(to, [...path, file]))
      .find((found) => found !== null);
    done.add(file);
    return circle ?? null;
  };
  return files.map((file) => walk(file, [])).find((circle) => circle !== null) ?? null;
}

/** Names of the functions that a file exports. */
const functionsOf = (file: string) =>
  [
    ...textOf(file).matchAll(
      /^export (?:(?:async )?function\*? (\w+)|const (\w+)(?:: [^=]+)? = (?:async )?(?:<[^>]*>)?\([^;]*?=>)/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? "");

/** Groups entries by the key that `keyOf` gives them. */
function groupedBy<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return [...groups];
}

/** In a folder with more files than this, readers no longer find the one they want. */
const FILES_PER_FOLDER = 15;
const LINES_PER_FILE = 350;

describe("layout", () => {
  it("knows a layer for every source file", () => {
    const homeless = sources.filter(
      (file) => layerOf(file) === undefined && !SEES_ALL.some((name) => file.startsWith(name)),
    );
    expect(homeless).toEqual([]);
    expect(sources.length).toBeGreaterThan(80);
  });

  it("lets imports point downwards only", () => {
    const wrongWay = sources.flatMap((file) => {
      const layer = layerOf(file);
      if (layer === undefined) return [];
      const allowed = [layer, ...(MAY_IMPORT[layer] ?? [])];
      return importsOf(file)
        .filter((to) => !allowed.some((name) => to === name || to.startsWith(`${name}/`)))
        .map((to) => `${file} -> ${to}`);
    });
    expect(wrongWay).toEqual([]);
  });

  it("lets operations import only types from the domain", () => {
    const values = textOf("src/board/operation.ts").match(/^import (?!type)[^;]*\/domain\//gm) ?? [];
    expect(values).toEqual([]);
  });

  it("lets only the MCP adapters import an MCP SDK, and only src/store/mongodb MongoDB's driver", () => {
    const strangers = sources.filter(
      (file) =>
        (!MCP_FILES.test(file) && textOf(file).includes('"@modelcontextprotocol/')) ||
        (!MONGODB_FILES.test(file) && textOf(file).includes('from "mongodb"')),
    );
    expect(strangers).toEqual([]);
  });

  it("reads the environment and the clock only at the top of the program", () => {
    const readers = sources.filter(
      (file) =>
        !SEES_ALL.some((name) => file.startsWith(name)) && /process\.env|Date\.now\(\)/.test(textOf(file)),
    );
    expect(readers).toEqual([]);
  });

  it("reads addresses by parseUrl, never by URL.canParse or z.url, which calls it", () => {
    const readers = filesOf("src").filter((file) =>
      /URL\.canParse\(|\bz\.(url|httpUrl)\(/.test(textOf(file)),
    );
    expect(readers).toEqual([]);
  });

  it("has no import circle, type imports included", () => {
    expect(circleIn(sources)).toBeNull();
  });

  it("exports no two functions with the same name", () => {
    const functions = sources.flatMap((file) =>
      [...new Set(functionsOf(file))].map((name) => ({ name, file })),
    );
    const homes = groupedBy(functions, ({ name }) => name);
    const shared = homes.filter(([, found]) => found.length > 1);
    expect(shared.map(([name, found]) => `${name}: ${found.map(({ file }) => file).join(", ")}`)).toEqual([]);
    // The pattern matches both ways to write an exported function.
    expect(homes.map(([name]) => name)).toEqual(expect.arrayContaining(["failureHandler", "isoTime"]));
  });

  it("keeps folders small enough to look through", () => {
    const full = groupedBy([...sources, ...others], dirname).filter(
      ([, files]) => files.length > FILES_PER_FOLDER,
    );
    expect(full.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
  });

  it("keeps files short", () => {
    const lengths = sources.map((file) => ({ file, lines: textOf(file).trimEnd().split("\n").length }));
    expect(lengths.filter(({ lines }) => lines > LINES_PER_FILE)).toEqual([]);
  });

  it("is told by docs/architecture.md, which names every folder, and by docs/tour.md; they name what exists", () => {
    const pages = ["docs/architecture.md", "docs/tour.md"].map(textOf);
    const folders = [...new Set(sources.map(dirname))];
    expect(folders.filter((folder) => !pages[0]?.includes(`${basename(folder)}/`))).toEqual([]);
    for (const page of pages) {
      const paths = [...page.matchAll(/`((?:src|tools|test|docs)\/[\w./-]*)`/g)].map(([, path = ""]) => path);
      expect(paths.length).toBeGreaterThan(15);
      expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });
});
