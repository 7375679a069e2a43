import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { useFolder } from "../support/boards/use.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const TIMEOUT_MS = 3_600_000;
const QUICK = ["--config", "vitest.quick.config.ts", "--maxWorkers", "1"];

describe("a ninth tool, written as docs/adding-a-tool.md says", () => {
  const copy = useFolder();
  let written: string[];
  beforeAll(async () => {
    await copyProject(copy);
    const guide = readFileSync(join(root, "docs/adding-a-tool.md"), "utf8");
    const blocks = [...guide.matchAll(/`((?:tools|test)\/[\w./]+\.ts)`:\n\n```ts\n([\s\S]*?)```/g)];
    expect(blocks.map(([, file]) => file)).toEqual(["tools/whats_on.ts", "test/tools/whats_on.test.ts"]);
    written = blocks.map(([, file = ""]) => file);
    for (const [, file = "", code = ""] of blocks) writeFileSync(join(copy, file), code);
  });

  it("fails a test that names the one command, before it has run", async () => {
    const { code, output } = await execute("npx", "vitest", "run", ...QUICK, "test/project/catalog.test.ts");
    expect(code).not.toBe(0);
    expect(output).toContain("run `npm run manual`");
  });

  it("passes, after it has run", { timeout: TIMEOUT_MS }, async () => {
    await succeed("npm", "run", "manual");
    // The rest of `npm run check` reads what has not changed.
    await succeed("npx", "biome", "check", ...written);
    const config = { extends: "./tsconfig.json", include: [], files: written };
    writeFileSync(join(copy, "tsconfig.written.json"), JSON.stringify(config));
    await succeed("npx", "tsc", "--noEmit", "-p", "tsconfig.written.json");
    // WHOLE_SUITE runs all tests, which takes ten minutes.
    const near = [...QUICK, "test/tools/whats_on", "test/project/catalog", "test/reference/manual"];
    await succeed("npx", "vitest", "run", ...(process.env["WHOLE_SUITE"] === undefined ? near : []));
  });

  /** Runs a command in the copy. */
  const execute = (command: string, ...args: string[]): Promise<{ code: number; output: string }> =>
    run(command, args, { cwd: copy, maxBuffer: 1e9 }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
    );

  async function succeed(...command: [string, ...string[]]): Promise<void> {
    const { code, output } = await execute(...command);
    if (code !== 0) throw new Error(`${command.join(" ")}\n${output.slice(-10_000)}`);
    if (command.includes("vitest")) console.log(output.trimEnd().split("\n").at(-1));
  }
});

/** Copies every file that git does not ignore, except this test, and links the packages. */
async function copyProject(to: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 1e8,
  });
  const own = relative(root, import.meta.filename);
  const files = stdout
    .split("\0")
    .filter((file) => file !== "" && file !== own && existsSync(join(root, file)));
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(root, file), join(to, file));
  }
  for (const file of files.filter((file) => basename(file) === "package.json")) {
    const packages = join(dirname(file), "node_modules");
    if (existsSync(join(root, packages))) symlinkSync(join(root, packages), join(to, packages));
  }
}
