import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/domain/secrets.ts";
import { openStore } from "../../src/store/open.ts";
import { boardEnvironment, PROGRAM } from "../support/boards/board-process.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const folder = mkdtempSync(join(tmpdir(), "board-operator-"));
const url = `sqlite:${folder}/board.db`;
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}
const run = (args: string[], environment: Record<string, string> = {}) =>
  new Promise<Ran>((done) => {
    const env = boardEnvironment({ DATA_DIR: folder, STORE_URL: url, ...environment });
    execFile(process.execPath, [...PROGRAM, ...args], { env }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

describe("the operator's command line", () => {
  it("says its version, the package's", async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    expect(await run(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("prints help with every command", async () => {
    const help = await run(["--help"]);
    for (const name of ["serve", "stdio", "backup", "restore", "publishers", "doctor", "moderate"]) {
      expect(help.stdout).toContain(name);
    }
    expect(help.code).toBe(0);
  });

  it("makes no board where none was", async () => {
    const commands = [
      ["publishers", "list"],
      ["moderate", "list"],
      ["secret-key"],
      ["export"],
      ["backup"],
      ["feeds", "list"],
      ["feeds", "poll", "x"],
    ];
    const empty = mkdtempSync(join(tmpdir(), "board-none-"));
    const environment = { DATA_DIR: empty, STORE_URL: `sqlite:${empty}/board.db` };
    for (const { code, stderr } of await Promise.all(commands.map((args) => run(args, environment)))) {
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^There is no board/) });
    }
    expect(readdirSync(empty)).toEqual([]);
    rmSync(empty, { recursive: true });
  });
});

describe("agent-board publishers", () => {
  beforeAll(async () => {
    const store = await openStore(url);
    await store.publishers.insert(aPublisher("pub_a", { name: "Bike Kitchen", createdAt: 1 }));
    await store.publishers.insert(aPublisher("pub_b", { name: "Cello Room", createdAt: 2 }));
    await store.posts.insert(aPost("p1", { publisherId: "pub_b" }));
    await store.close();
  });

  it("lists who writes here, newest first, without the hashes of keys", async () => {
    const { stdout } = await run(["publishers", "list", "--json"]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ id, name, posts }) => [id, name, posts])).toEqual([
      ["pub_b", "Cello Room", 1],
      ["pub_a", "Bike Kitchen", 0],
    ]);
    expect(stdout).not.toMatch(/hash/i);
    expect((await run(["publishers", "list"])).stdout).toMatch(/^pub_b\t.*\t1 post\t.*\tCello Room$/m);
  });

  it("gives a new key for a lost one, and erases only when told twice", async () => {
    const [{ stdout }, unsure] = await Promise.all([
      run(["publishers", "new-key", "pub_a"]),
      run(["publishers", "erase", "pub_b"]),
    ]);
    expect(stdout).toMatch(/^bbk_\S{38}\n$/);
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect((await run(["publishers", "erase", "pub_b", "--yes"])).stdout).toBe(
      "erase pub_b: 1 post, 0 saved queries\n",
    );
    const nobody = await run(["publishers", "show", "pub_b"]);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringMatching(/^There is no publisher pub_b/) });
    const store = await openStore(url);
    expect((await store.publishers.byKeyHash(sha256(stdout.trim())))?.id).toBe("pub_a");
    await store.close();
  });
});
