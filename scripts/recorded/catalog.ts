import { readFileSync } from "node:fs";
import { servedTools } from "../../src/adapters/mcp/tool-list.ts";
import type { Catalog, Operation } from "../../src/board/operation.ts";

export const CATALOG_FILE = new URL("../../test/recorded/catalog.json", import.meta.url);
/** A test says this when the program and a recorded file differ. */
export const STALE = "not as recorded: run `npm run manual`, then review what it changed";

/** The record of an operation, so that none comes, goes or turns from reading to writing unnoticed. */
interface RecordedOperation {
  name: string;
  title: string;
  /** Has method and path, aliases after a comma. */
  calls: string;
  auth: Operation["auth"];
  effect: Operation["effect"];
}
interface RecordedCatalog {
  tools: readonly (RecordedOperation & { annotations: Record<string, boolean> })[];
  /** Only REST has these operations. */
  routes: readonly RecordedOperation[];
}

/** The catalog as `npm run manual` last recorded it. */
export const recordedCatalog = (): RecordedCatalog => JSON.parse(readFileSync(CATALOG_FILE, "utf8"));

/** Names the tools that `/mcp/readonly` has. */
export const recordedReadingTools = (): string[] =>
  recordedCatalog().tools.flatMap(({ name, effect }) => (effect === "reads" ? [name] : []));

/** Writes the recorded file for a catalog. */
export function catalogText(catalog: Catalog): string {
  const { tools, operations } = catalog;
  const served = servedTools(catalog);
  const record: RecordedCatalog = {
    tools: tools.map((tool) => ({
      ...recordOf(tool),
      annotations: served.get(tool.name)?.listed().annotations ?? {},
    })),
    routes: operations.filter((operation) => !("tool" in operation)).map(recordOf),
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

const recordOf = ({ name, title, rest, auth, effect }: Operation): RecordedOperation => ({
  name,
  title,
  calls: [rest.path, ...(rest.also ?? [])].map((path) => `${rest.method} ${path}`).join(", "),
  auth,
  effect,
});
