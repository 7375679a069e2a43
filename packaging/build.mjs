/**
 * Builds what clients install besides the npm package: an MCPB bundle and the `server.json` of the MCP registry.
 *
 *   npm run build && node packaging/build.mjs [--site https://board.example] [--out DIR]
 *
 * Both are checked: the bundle by its own tool, `server.json` by the rules in `server-json.mjs`. Its name is `mcpName` of
 * package.json: who publishes puts a namespace of their own there.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { serverJson } from "./server-json.mjs";

const ROOT = resolve(import.meta.dirname, "..");
/** Not among the dependencies: it brings sixty packages, and only a release needs it. */
const MCPB = "@anthropic-ai/mcpb@2.1.2";

const { values: options } = parseArgs({
  options: {
    site: { type: "string" },
    out: { type: "string", default: "packages" },
  },
});
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
writeServerJson(options.site);
await writeBundle();

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
    const { loadCatalog } = await import(join(ROOT, "dist/src/catalog.js"));
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
}

function mcpb(args) {
  execFileSync("npx", ["--yes", "--quiet", "--package", MCPB, "mcpb", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function npm(args, cwd) {
  execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
