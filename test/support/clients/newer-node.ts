import { existsSync } from "node:fs";
import { join } from "node:path";

/** Packages of the conformance suite; `test/mcp/conformance/install.sh` brings them. */
export const SUITE = join(import.meta.dirname, "../../mcp/conformance/node_modules");

/** A Node from the registry that runs them: they need a newer one than the board. Null where they are not installed. */
export function newerNode(): string | null {
  const file = join(SUITE, `node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(file)) return file;
  if (process.env["CI"] !== undefined && process.platform === "linux") throw new Error(`there is no ${file}`);
  return null;
}
