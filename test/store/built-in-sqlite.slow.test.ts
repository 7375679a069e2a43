import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import { useFolder } from "../support/boards/use.ts";
import { newerNode } from "../support/clients/newer-node.ts";

const root = resolve(import.meta.dirname, "../..");
const node = newerNode() ?? "";
const folder = useFolder();

const run = (...args: string[]) => promisify(execFile)(node, args, { cwd: root });

/** A board of this Node reads and writes the file, says what is in it, and leaves it behind. */
const wordIn = (file: string, word: string) => `
  const { DatabaseSync } = await import("./dist/src/platform/sqlite.js");
  const db = new DatabaseSync(${JSON.stringify(file)});
  db.exec("PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE IF NOT EXISTS text USING fts5(body)");
  db.prepare("INSERT INTO text VALUES (?)").run(${JSON.stringify(word)});
  const { DatabaseSync: builtIn } = process.getBuiltinModule("node:sqlite");
  console.log(DatabaseSync === builtIn, db.prepare("SELECT group_concat(body) AS all_of_it FROM text").get().all_of_it);
  db.close();
`;

describe.skipIf(node === "")("Node's own SQLite", () => {
  it("passes the store's contract, without a warning", async () => {
    const suites = [
      "test/store/sqlite-store.test.ts",
      "test/store/sqlite.test.ts",
      "test/search/index/embedded",
    ];
    const { stdout, stderr } = await run(
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "vitest.quick.config.ts",
      "--maxWorkers=1",
      ...suites,
    );
    expect(stdout).toMatch(/[1-9]\d* passed, 0 failed\s*$/);
    expect(stderr).not.toContain("Warning");
  });

  it("opens what the package wrote, and the package what it wrote", async () => {
    const file = join(folder, "board.db");
    const db = new DatabaseSync(file);
    db.exec(
      "PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE text USING fts5(body); INSERT INTO text VALUES ('first')",
    );
    const { stdout } = await run("--input-type=module", "-e", wordIn(file, "second"));
    expect(stdout).toBe("true first,second\n");
    expect(db.prepare("SELECT body FROM text WHERE text MATCH 'second'").get()).toEqual({ body: "second" });
    db.close();
  });
});
