import { appendFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore, storeSchemes } from "../../src/store/open.ts";
import { exportTo } from "../contract/transfer.contract.ts";
import { runHere } from "../support/boards/command.ts";
import { fillStore } from "../support/boards/filled-store.ts";
import { useFolder } from "../support/boards/use.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const folder = useFolder();
const KEY = "k".repeat(40);
const POSTS = 300;

/** The address of an empty database of each scheme; null where this machine cannot run it. */
const PLACES: Record<string, ((name: string) => Promise<string>) | null> = {
  sqlite: async (name) => `sqlite:${folder}/${name}.db`,
  mongodb: await mongodbPlaces(),
};

async function mongodbPlaces() {
  if ((await mongodbFor("replicaSet", "backup_asked")) === null) return null;
  return async (name: string) => {
    const database = await mongodbFor("replicaSet", `backup_${name}`);
    await database?.wipe();
    return database?.url ?? "";
  };
}

const on = (url: string) => ({ DATA_DIR: join(folder, "data"), STORE_URL: url });
const board = (url: string, ...args: string[]) => runHere(args, on(url));

async function rowsOf(url: string, name: string): Promise<string[]> {
  const store = await openStore(url);
  const rows = await exportTo(store, join(folder, `${name}.jsonl`));
  await store.close();
  return rows;
}

for (const scheme of storeSchemes()) {
  const place = PLACES[scheme];
  describe.skipIf(place === null)(`a restore drill on ${scheme}`, () => {
    it("backs up while others write, and restores a board that is the same, secret key included", async () => {
      if (!place) return;
      const [from, to] = [await place("from"), await place("to")];
      const file = join(folder, `${scheme}.jsonl.gz`);
      const store = await openStore(from);
      await store.settings.setOnce("secret_key", KEY);
      await fillStore(store, POSTS);
      let isDone = false;
      const writing = (async () => {
        for (let n = POSTS; !isDone; n += 1) await store.posts.insert(aPost(`p${n}`));
      })();
      const { stdout } = await board(from, "backup", file, "--json").finally(() => {
        isDone = true;
      });
      await writing;
      expect(JSON.parse(stdout)).toMatchObject({ file, key_file: `${file}.key` });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await stat(`${file}.key`)).mode & 0o777).toBe(0o600);
      await store.close();

      const restored = await board(to, "restore", file);
      const posts = Number(/(\d+) posts/.exec(restored.stdout)?.[1]);
      expect(posts).toBeGreaterThanOrEqual(POSTS);
      const copy = await openStore(to);
      expect(await copy.settings.get("secret_key")).toBe(KEY);
      await copy.close();
      const there = await rowsOf(to, `${scheme}-to`);
      const before = await rowsOf(from, `${scheme}-from`);
      const later = before.filter((row) => !there.includes(row));
      const gone = there.filter((row) => !before.includes(row));
      // Only what was written after the moment of the backup is missing: later posts, and counts.
      expect(there.filter((row) => row.startsWith('{"post"'))).toHaveLength(posts);
      expect(gone.filter((row) => row.startsWith('{"post"'))).toEqual([]);
      expect(later.filter((row) => row.startsWith('{"post"')).length).toBe(
        before.filter((row) => row.startsWith('{"post"')).length - posts,
      );

      // A backup at rest has the same rows. A board with posts is not overwritten.
      const again = await place("again");
      const second = join(folder, `${scheme}-2.jsonl`);
      await board(to, "backup", second);
      await board(again, "restore", second);
      const used = await board(from, "restore", second);
      expect(await rowsOf(again, `${scheme}-again`)).toEqual(there);
      expect(used.code).toBe(1);
    });
  });
}

describe("agent-board backup and restore", () => {
  it("keep the newest of a folder, with their keys, and leave every other file alone", async () => {
    const url = `sqlite:${folder}/kept.db`;
    const store = await openStore(url);
    await store.settings.set("secret_key", KEY);
    await store.close();
    const backups = join(folder, "backups");
    await mkdir(backups);
    const old = ["2026-01-01T000000000Z", "2026-01-02T000000000Z"].map((at) => `agent-board-${at}.jsonl.gz`);
    const mine = ["agent-board-mine.jsonl.gz", "notes.txt"];
    for (const name of [...old, ...old.map((one) => `${one}.key`), ...mine])
      await writeFile(join(backups, name), "x");
    const first = await board(url, "backup", "--keep", "2", backups);
    expect(first.stdout).toContain(`${join(backups, old[0] ?? "")}: removed\n`);
    const left = await readdir(backups);
    expect(left).toHaveLength(6);
    expect(left).toEqual(expect.arrayContaining([...mine, old[1], `${old[1]}.key`]));
    await board(url, "backup", "--keep", "1", backups);
    expect((await readdir(backups)).filter((name) => !mine.includes(name))).toHaveLength(2);
    const file = await board(url, "backup", "--keep", "1", join(folder, "named.jsonl"));
    expect(file).toMatchObject({ code: 1, stderr: expect.stringContaining("--keep goes with a folder") });
  });

  it("keep the key of the environment out of the board, and say when the last backup was", async () => {
    const url = (name: string) => `sqlite:${folder}/keyed-${name}.db`;
    const store = await openStore(url("from"));
    await store.settings.setOnce("secret_key", KEY);
    await store.publishers.insert(aPublisher("pub_a"));
    const [file, began] = [join(folder, "with-key.jsonl"), Date.now()];
    expect((await board(url("from"), "backup", file)).code).toBe(0);
    const last = Number(await store.settings.get("last_backup"));
    expect(last).toBeGreaterThanOrEqual(began);
    await store.close();
    const keptIn = async (name: string, SECRET_KEY: string) => {
      await runHere(["restore", file], { ...on(url(name)), SECRET_KEY });
      const restored = await openStore(url(name));
      const kept = await restored.settings.get("secret_key");
      await restored.close();
      return kept;
    };
    expect([await keptIn("by-file", ""), await keptIn("by-variable", KEY)]).toEqual([KEY, null]);
  });

  it("overwrite no file, take no damaged one, and make no board where none was", async () => {
    const url = `sqlite:${folder}/small.db`;
    const store = await openStore(url);
    await store.publishers.insert(aPublisher("pub_a"));
    await store.close();
    const file = join(folder, "small.jsonl");
    const none = await board(`sqlite:${folder}/none.db`, "backup", join(folder, "none.jsonl"));
    await board(url, "backup", file);
    expect(none.stderr).toMatch(/^There is no board/);
    await appendFile(file, "{}\n");
    const twice = await board(url, "backup", file);
    // The secret key of an earlier backup is one that nobody wants to lose.
    const keyOf = join(folder, "keyed.jsonl.key");
    await writeFile(keyOf, "an earlier key");
    const keyed = await board(url, "backup", join(folder, "keyed.jsonl"));
    expect(keyed.stderr).toMatch(/keyed\.jsonl\.key is there already/);
    expect(await readFile(keyOf, "utf8")).toBe("an earlier key");
    expect(await readdir(folder)).not.toContain("keyed.jsonl");
    const broken = await board(`sqlite:${folder}/none.db`, "restore", file);
    expect(twice.stderr).toMatch(/is there already/);
    expect(broken.stderr).toMatch(/cut off/);
    expect((await readdir(folder)).filter((name) => name.startsWith("none."))).toEqual([]);
    expect(await readFile(file, "utf8")).not.toContain(KEY);
  });
});
