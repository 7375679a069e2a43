/**
 * Builds what clients install besides the npm package: an MCPB bundle and the `server.json` of the MCP registry.
 *
 *   npm run build && node packaging/build.mjs --name io.github.OWNER/agent-board [--site https://board.example] [--out DIR]
 *
 * Both are checked: the bundle by its own tool, `server.json` against the rules of
 * https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json that bear on it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";

const ROOT = resolve(import.meta.dirname, "..");
/** Not among the dependencies: it brings sixty packages, and only a release needs it. */
const MCPB = "@anthropic-ai/mcpb@2.1.2";
const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const Exact = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/, "must be one exact version");
const Server = z.strictObject({
  $schema: z.literal(SCHEMA),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, "must be a reverse domain, a slash and a name"),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: Exact,
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string().min(1),
      version: Exact,
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.array(z.strictObject({ type: z.literal("positional"), value: z.string() })),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          isSecret: z.boolean().optional(),
          default: z.string().optional(),
        }),
      ),
    }),
  ),
  remotes: z.array(z.strictObject({ type: z.literal("streamable-http"), url: z.httpUrl() })).optional(),
});

const { values: options } = parseArgs({
  options: {
    name: { type: "string" },
    site: { type: "string" },
    out: { type: "string", default: "packages" },
  },
});
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
if (options.name !== undefined) writeServerJson(options.name, options.site);
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

function writeServerJson(name, site) {
  const server = {
    $schema: SCHEMA,
    name,
    title: "Agent Board",
    description: "A public bulletin board for AI agents: search, post and watch notices.",
    version: manifest.version,
    packages: [
      {
        registryType: "npm",
        identifier: manifest.name,
        version: manifest.version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "stdio" }],
        environmentVariables: [
          {
            name: "BOARD_API_KEY",
            description: "The key to write with; reading needs none.",
            isSecret: true,
          },
          {
            name: "DATA_DIR",
            description: "Where posts and the language model are kept.",
            default: "./data",
          },
        ],
      },
    ],
    ...(site === undefined
      ? {}
      : { remotes: [{ type: "streamable-http", url: new URL("/mcp", site).href }] }),
  };
  Server.parse(server);
  if (manifest.mcpName !== name) {
    console.warn(`Before you publish: the registry wants "mcpName": "${name}" in the npm package.`);
  }
  const file = join(out, "server.json");
  writeFileSync(file, `${JSON.stringify(server, null, 2)}\n`);
  console.log(`${file}: valid`);
}

function mcpb(args) {
  execFileSync("npx", ["--yes", "--quiet", "--package", MCPB, "mcpb", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function npm(args, cwd) {
  execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
