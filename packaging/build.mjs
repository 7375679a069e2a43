/**
 * Builds what clients install besides the npm package: an MCPB bundle and the `server.json` of the MCP registry.
 *
 *   npm run build && node packaging/build.mjs [--name io.github.ACCOUNT/NAME] [--site https://board.example] [--out DIR]
 *
 * Both are checked: the bundle by its own tool, `server.json` by the rules in `server-json.mjs`. The registry takes a server
 * only in its publisher's namespace, and compares its name with `mcpName` in the published package: `--name` writes both.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isPlaceholder, serverJson, withName } from "./server-json.mjs";

const ROOT = resolve(import.meta.dirname, "..");
/** Not among the dependencies: it brings sixty packages, and only a release needs it. */
const MCPB = "@anthropic-ai/mcpb@2.1.2";

const { values: options } = parseArgs({
  options: {
    name: { type: "string" },
    site: { type: "string" },
    out: { type: "string", default: "packages" },
  },
});
const MANIFEST = join(ROOT, "package.json");
const manifest = named(JSON.parse(readFileSync(MANIFEST, "utf8")), options.name);
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
writeServerJson(options.site);
await writeBundle();

/** The manifest with the name asked for, which package.json then has too. */
function named(kept, name) {
  if (name === undefined) return kept;
  try {
    const changed = withName(kept, name);
    writeFileSync(MANIFEST, `${JSON.stringify(changed, null, 2)}\n`);
    return changed;
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

async function writeBundle() {
  const stage = mkdtempSync(join(tmpdir(), "board-mcpb-"));
  try {
    for (const path of ["dist", "llms.txt", "LICENSE", "package.json", "package-lock.json", ".npmrc"]) {
      cpSync(join(ROOT, path), join(stage, path), { recursive: true });
    }
    // SQLite's library travels as prebuilt files for every platform: no script has to run.
    npm(["ci", "--omit=dev", "--ignore-scripts", "--silent"], stage);
    for (const path of ["package-lock.json", ".npmrc"]) rmSync(join(stage, path));
    const described = JSON.parse(readFileSync(join(ROOT, "packaging/mcpb/manifest.json"), "utf8"));
    const { loadCatalog } = await import(join(ROOT, "dist/src/board/catalog.js"));
    const { tools } = await loadCatalog();
    const bundled = {
      ...described,
      version: manifest.version,
      tools: tools.map(({ name, when }) => ({ name, description: when })),
    };
    writeFileSync(join(stage, "manifest.json"), `${JSON.stringify(bundled, null, 2)}\n`);
    const file = join(out, `agent-board-${manifest.version}.mcpb`);
    mcpb(["validate", join(stage, "manifest.json")]);
    mcpb(["pack", stage, file]);
    console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB, ${bundled.tools.length} tools`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function writeServerJson(site) {
  const file = join(out, "server.json");
  writeFileSync(file, `${JSON.stringify(serverJson(manifest, site), null, 2)}\n`);
  console.log(`${file}: valid, ${manifest.mcpName}`);
  if (isPlaceholder(manifest))
    console.log("To publish it, give a name in a namespace of yours: --name io.github.ACCOUNT/agent-board");
}

function mcpb(args) {
  execFileSync("npx", ["--yes", "--quiet", "--package", MCPB, "mcpb", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function npm(args, cwd) {
  execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
