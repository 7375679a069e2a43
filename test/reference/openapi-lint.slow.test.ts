import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/adapters/reference/openapi.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { Site } from "../../src/domain/site.ts";
import { useFolder } from "../support/boards/use.ts";

const require = createRequire(import.meta.url);
const run = promisify(execFile);
/** Turns off the linter's check for updates and its telemetry. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const folder = useFolder();

describe("the OpenAPI document", () => {
  it("passes a linter's recommended rules", async () => {
    const file = join(folder, "openapi.json");
    const site = new Site("https://board.invalid");
    await writeFile(file, JSON.stringify(openApiDocument(await loadCatalog(), site)));
    const cli = join(dirname(require.resolve("@redocly/cli/package.json")), "bin/cli.js");
    const { stdout } = await run(process.execPath, [cli, "lint", file, "--format=json"], {
      cwd: folder,
      env: { ...process.env, ...QUIET },
    }).catch((failed: { stdout: string }) => failed);
    const { problems } = JSON.parse(stdout) as {
      problems: { ruleId: string; severity: string; message: string; location: { pointer: string }[] }[];
    };
    const told = problems.map(
      ({ severity, ruleId, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`,
    );
    // These always exist, so they never answer 4xx.
    const fixed = ["llms.txt", "openapi.json", "healthz", "readyz"].map(
      (name) => `warn operation-4xx-response #/paths/~1${name}/get/responses`,
    );
    expect(told.filter((each) => !fixed.includes(each))).toEqual([]);
  });
});
