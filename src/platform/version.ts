import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** It stands in the package's `package.json`, two folders above a build's `src` and one above the source's. */
export const VERSION: string = versionAbove(import.meta.dirname);

function versionAbove(from: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
    if (manifest.name === "agent-board") return manifest.version;
  } catch {
    // No manifest here: the one above has it.
  }
  const above = dirname(from);
  if (above === from) throw new Error("This installation has no package.json.");
  return versionAbove(above);
}
