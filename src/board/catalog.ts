import { readdir } from "node:fs/promises";
import type { Catalog, Operation, Tool } from "./operation.ts";

const extension = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";

/**
 * Loads every operation from the folders `tools/` (default exports, named like their files) and `src/routes/`.
 * @throws Error when a tool's name differs from its file's, or two operations share a name or a route
 */
export async function loadCatalog(): Promise<Catalog> {
  const tools = (await modulesOf(new URL("../../tools/", import.meta.url))).map(({ file, exports }) => {
    const tool = exports["default"] as Tool;
    if (`${tool.name}${extension}` !== file) throw new Error(`tools/${file} defines "${tool.name}"`);
    return tool;
  });
  const routes = (await modulesOf(new URL("../routes/", import.meta.url))).flatMap(
    // Node orders exports by name, and other loaders order them by position. Sorting gives one order everywhere.
    ({ exports }) => (Object.values(exports) as Operation[]).sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
  const operations = [...(tools as Operation[]), ...routes];
  const taken = operations.flatMap(({ name, rest }) => [
    name,
    ...[rest.path, ...(rest.also ?? [])].map((path) => `${rest.method} ${path}`),
  ]);
  const twice = taken.find((entry, i) => taken.indexOf(entry) !== i);
  if (twice !== undefined) throw new Error(`two operations claim "${twice}"`);
  return { tools, operations };
}

async function modulesOf(folder: URL): Promise<{ file: string; exports: Record<string, unknown> }[]> {
  const files = (await readdir(folder))
    .filter((file) => file.endsWith(extension) && !file.endsWith(".d.ts"))
    .sort();
  return Promise.all(
    files.map(async (file) => ({
      file,
      exports: (await import(new URL(file, folder).href)) as Record<string, unknown>,
    })),
  );
}
