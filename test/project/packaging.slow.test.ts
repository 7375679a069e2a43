import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig, VARIABLES } from "../../src/config.ts";
import { startBoard } from "../support/boards/board.ts";
import { freePort, runCommand } from "../support/boards/board-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const PACKAGE = JSON.parse(read("package.json"));
/** Settings of glibc's malloc by which freed memory leaves the process. */
const MALLOC = ["MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"];
/** Of Node, of the C library, and the key of a stdio session. */
const OTHERS = ["NODE_ENV", "BOARD_API_KEY", ...MALLOC];

/** The variables that each file sets, with their values where these are literal. */
const SET: Record<string, [name: string, value: string][]> = {
  Dockerfile: [...read("Dockerfile").matchAll(/^ENV (.+)$/gm)].flatMap(([, line = ""]) => pairsIn(line)),
  "compose.yaml": [...read("compose.yaml").matchAll(/^ {6}([A-Z][A-Z_]+): (?:\$\{\w+:-(.*)\}|(.*))$/gm)]
    .map(([, name = "", fallback, literal = ""]): [string, string] => [name, fallback ?? literal])
    .filter(([name]) => name !== "MODEL"),
  "packaging/agent-board.service": [
    ...read("packaging/agent-board.service").matchAll(/^Environment=(.+)$/gm),
  ].flatMap(([, line = ""]) => pairsIn(line)),
  "packaging/nginx.conf": pairsIn(/The board runs with (.+)/.exec(read("packaging/nginx.conf"))?.[1] ?? ""),
  "packaging/Caddyfile": pairsIn(/The board runs with (.+)/.exec(read("packaging/Caddyfile"))?.[1] ?? ""),
  "packaging/mcpb/manifest.json": Object.keys(
    JSON.parse(read("packaging/mcpb/manifest.json")).server.mcp_config.env,
  ).map((name): [string, string] => [name, ""]),
};

function pairsIn(line: string): [string, string][] {
  return line.split(" ").map((pair) => {
    const [name = "", value = ""] = pair.split("=");
    return [name, value];
  });
}

describe("what a board is run by", () => {
  it.each(Object.entries(SET))(
    "%s sets variables that the program reads, to values it takes",
    (_file, set) => {
      expect(set.length).toBeGreaterThanOrEqual(2);
      expect(set.map(([name]) => name).filter((name) => ![...VARIABLES, ...OTHERS].includes(name))).toEqual(
        [],
      );
      expect(() => readConfig(Object.fromEntries(set))).not.toThrow();
    },
  );

  it("proxies give up an idle connection before the board does", () => {
    for (const file of ["packaging/nginx.conf", "packaging/Caddyfile"]) {
      const [, idleS] = /^\s*keepalive(?:_timeout)? (\d+)s;?$/m.exec(read(file)) ?? [];
      expect(Number(idleS)).toBeGreaterThan(0);
      expect(Number(idleS)).toBeLessThan(readConfig({}).keepAliveS - 5);
    }
  });

  it("the image copies what exists, runs a command that exists, on a Node that the package allows", () => {
    const text = read("Dockerfile");
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
      files.split(" "),
    );
    expect(copied.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(text).toContain(`ln -s /app/${PACKAGE.bin["agent-board"]} /usr/local/bin/agent-board`);
    expect(text).toMatch(/^CMD \["agent-board", "serve"\]$/m);
    expect(read("src/main.ts")).toMatch(/^ {2}serve: \[/m);
    expect(Number(/^ARG NODE=(\d+)-/m.exec(text)?.[1])).toBeGreaterThanOrEqual(20);
    expect(text).toMatch(/^USER node$/m);
    // Compose passes each argument of a stage.
    expect([...read("compose.yaml").matchAll(/^ {8}([A-Z]+): /gm)].map(([, name]) => name)).toEqual([
      "MODEL",
    ]);
    expect(text).toMatch(/^ARG MODEL=$/m);
  });

  it("the health check of the image passes on a board that serves, and on no other", async () => {
    const written = /^HEALTHCHECK .*\\\n {2}CMD (\[.+\])$/m.exec(read("Dockerfile"))?.[1] ?? "[]";
    const [command = "", ...args] = JSON.parse(written) as string[];
    expect(command).toBe("agent-board");
    const codeOn = async (port: number) =>
      (await runCommand(args, { HOST: "0.0.0.0", PORT: String(port) })).code;
    const board = await startBoard({}, { idle: true });
    expect(await codeOn(Number(new URL(board.url).port))).toBe(0);
    await board.stop();
    expect(await codeOn(await freePort())).toBe(1);
  });
});

describe("the npm package", () => {
  const packed: { size: number; files: { path: string }[] } = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: ROOT, encoding: "utf8" }),
  )[0];
  const paths = new Set(packed.files.map(({ path }) => path));

  it("takes little more than two megabytes, and has what it runs", () => {
    expect(packed.size).toBeLessThanOrEqual(2_100_000);
    expect([...paths]).toEqual(expect.arrayContaining([PACKAGE.bin["agent-board"], "llms.txt", "LICENSE"]));
  });

  it("has every file that its documents link to", () => {
    const broken = [...paths]
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) =>
        [...read(path).matchAll(/\]\((?!https?:|#|\/)([^)#]+)/g)]
          .map(([, target = ""]) => join(dirname(path), target).replace(/\/$/, ""))
          .filter((target) => !paths.has(target) && ![...paths].some((each) => each.startsWith(`${target}/`)))
          .map((target) => `${path} -> ${target}`),
      );
    expect(broken).toEqual([]);
  });

  it("says where its source is, and tells nobody to run a name of the registry that is not ours", () => {
    expect(PACKAGE).toMatchObject({
      repository: { type: "git" },
      homepage: expect.stringMatching(/^https:/),
      bugs: expect.stringMatching(/^https:/),
    });
    const told = [...paths].filter((path) => /\bnpx (-y |--yes )?agent-board\b/.test(read(path)));
    expect(told.filter((path) => path.endsWith(".md") || path.startsWith("dist/"))).toEqual([]);
  });
});

describe("server.json", () => {
  it("follows the registry's rules, has the package's name and version, and sets variables that are read", async () => {
    const { serverJson } = await import(join(ROOT, "packaging/server-json.mjs"));
    const server = serverJson(PACKAGE, "https://board.example");
    expect(server).toMatchObject({
      name: PACKAGE.mcpName,
      version: PACKAGE.version,
      packages: [{ identifier: PACKAGE.name, version: PACKAGE.version }],
      remotes: [{ url: "https://board.example/mcp" }],
    });
    const names = server.packages[0].environmentVariables.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => ![...VARIABLES, ...OTHERS].includes(name))).toEqual([]);
    expect(() => serverJson({ ...PACKAGE, mcpName: "agent-board" }, undefined)).toThrow();
    expect(() => serverJson({ ...PACKAGE, version: "^0.1.0" }, undefined)).toThrow();
  });

  it("has a name in its publisher's namespace, which the package gets too; until then it says so", async () => {
    const { isPlaceholder, serverJson, withName } = await import(join(ROOT, "packaging/server-json.mjs"));
    expect(isPlaceholder(PACKAGE)).toBe(true);
    for (const name of ["io.github.octo/board", "org.example/agent-board", "com.example.boards/b_1"]) {
      const named = withName(PACKAGE, name);
      expect([named.mcpName, serverJson(named).name, isPlaceholder(named)]).toEqual([name, name, false]);
    }
    const wrong = ["octo", "octo/board", "io.github.octo/", "io.github.octo/a/b", "io..octo/board", ""];
    for (const name of wrong)
      expect(() => withName(PACKAGE, name), name).toThrow(/is no name in the registry/);
  });
});

describe("the MCPB bundle", () => {
  it("starts the program that the package has, and asks for what it passes on", () => {
    const { server, user_config: asked } = JSON.parse(read("packaging/mcpb/manifest.json"));
    expect(server.mcp_config.args).toEqual([`\${__dirname}/${PACKAGE.bin["agent-board"]}`, "stdio"]);
    expect(server.entry_point).toBe(PACKAGE.bin["agent-board"]);
    const passed = Object.entries(server.mcp_config.env)
      .filter(([name]) => !MALLOC.includes(name))
      .map(([, value]) => /^\$\{user_config\.(\w+)\}$/.exec(String(value))?.[1]);
    expect(passed.sort()).toEqual(Object.keys(asked).sort());
  });
});
