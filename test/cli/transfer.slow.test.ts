import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { openStore, storeSchemes } from "../../src/store/open.ts";
import { readMark } from "../../src/transfer/import-board.ts";
import { linesOf } from "../../src/transfer/lines.ts";
import { describeTransfer, exportTo, type Place } from "../contract/transfer.contract.ts";
import { boardEnvironment, PROGRAM } from "../support/boards/board-process.ts";
import { eventually } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { fillStore } from "../support/boards/filled-store.ts";
import { useFolder } from "../support/boards/use.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

type Makes = (role: "from" | "to") => Promise<Place>;

/** How to make a place for a store of each scheme; null if this machine cannot run its database. */
const PLACES: Record<string, Makes | null> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "board-place-"));
    return {
      url: `sqlite:${folder}/board.db`,
      empty() {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder, `board.db${suffix}`), { force: true });
      },
      destroy: () => rmSync(folder, { recursive: true }),
    };
  },
  mongodb: await mongodbPlaces("replicaSet"),
};

const schemes = storeSchemes();
for (const [at, from] of schemes.entries()) {
  const to = schemes[(at + 1) % schemes.length] ?? from;
  const [makeFrom, makeTo] = [PLACES[from], PLACES[to]];
  if (makeFrom && makeTo) {
    describeTransfer(`${from} to ${to}`, { from: () => makeFrom("from"), to: () => makeTo("to") });
  } else describe.skip(`a board that moves from ${from} to ${to}`, () => it("is the same there", () => {}));
}

it("has a place for every store", () => {
  expect(storeSchemes().filter((scheme) => PLACES[scheme] === undefined)).toEqual([]);
});

async function mongodbPlaces(kind: "replicaSet" | "cluster"): Promise<Makes | null> {
  // One question, so that a missing database is reported once.
  const database = await mongodbFor(kind, "transfer");
  if (database === null) return null;
  await database.drop();
  return async (role) => {
    const { url, empty, drop } = (await mongodbFor(kind, `transfer_${role}`)) ?? database;
    return { url, empty, destroy: drop };
  };
}

describe("agent-board export and import", () => {
  const folder = useFolder();
  const from = { DATA_DIR: join(folder, "from"), STORE_URL: `sqlite:${folder}/from.db` };
  const to = { DATA_DIR: join(folder, "to"), STORE_URL: `sqlite:${folder}/to.db` };
  const file = join(folder, "board.jsonl.gz");
  const key = "k".repeat(40);
  const POSTS = 20;
  const board = (environment: Record<string, string>, ...args: string[]) => runHere(args, environment);

  beforeAll(async () => {
    const store = await openStore(readConfig(from).storeUrl);
    await store.settings.setOnce("secret_key", key);
    await fillStore(store, POSTS);
    await store.posts.insert(aPost("separated", { body: "Line\u2028by line." }));
    await store.close();
    await board(from, "export", file);
  });

  it("writes a file that only its owner may read, and says how to move the secret key", async () => {
    const { stderr, stdout } = await board(from, "export", join(folder, "again.jsonl"));
    expect(stderr).toMatch(/Exporting.*rows: 100 %\n.*`agent-board secret-key` prints it/s);
    expect(stdout).toBe("");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, "again.jsonl"), "utf8")).not.toContain(key);
    expect((await board(from, "secret-key")).stdout).toBe(`${key}\n`);
  });

  it("says of a board with a key from its environment that the key must be set", async () => {
    const elsewhere = { ...to, STORE_URL: `sqlite:${folder}/elsewhere.db` };
    const store = await openStore(elsewhere.STORE_URL);
    await store.settings.setOnce("secret_key_check", "made by that key");
    await store.close();
    expect((await board(elsewhere, "secret-key")).stderr).toContain(
      "SECRET_KEY of its environment: set it here too",
    );
  });

  it("leaves nothing half written where the file cannot be put in its place", async () => {
    const taken = join(folder, "taken");
    mkdirSync(taken);
    expect((await board(from, "export", taken)).code).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith("taken"))).toEqual(["taken"]);
  });

  it("writes the same to stdout as to a file", async () => {
    const rows = (text: string) => text.trimEnd().split("\n").slice(1, -1);
    const { stdout } = await board(from, "export");
    expect(rows(stdout)).toEqual(rows(gunzipSync(await readFile(file)).toString()));
  });

  it("refuses a board with another secret key, unless told to accept it", async () => {
    const other = { ...to, STORE_URL: `sqlite:${folder}/other.db`, SECRET_KEY: "x".repeat(40) };
    expect((await board(other, "import", file)).stderr).toContain("has another secret key");
    expect((await board(other, "import", file, "--other-secret-key")).stdout).toContain(`${POSTS + 1} posts`);
    // A board that never ran had no key.
    const unkeyed = { ...to, STORE_URL: `sqlite:${folder}/unkeyed.db` };
    const store = await openStore(unkeyed.STORE_URL);
    await store.publishers.insert(aPublisher("pub_a"));
    await store.close();
    await board(unkeyed, "export", join(folder, "unkeyed.jsonl"));
    const keyed = { ...other, STORE_URL: `sqlite:${folder}/keyed.db` };
    expect((await board(keyed, "import", join(folder, "unkeyed.jsonl"))).stdout).toContain("1 publisher,");
  });

  it("resumes after a kill; until then the board does not start", async () => {
    const large = { ...from, STORE_URL: `sqlite:${folder}/large.db` };
    const long = join(folder, "long.jsonl.gz");
    const filled = await openStore(large.STORE_URL);
    await filled.settings.setOnce("secret_key", key);
    await fillStore(filled, 3000);
    await filled.close();
    await board(large, "export", long);
    const environment = { ...to, SECRET_KEY: key };
    const mark = async () => {
      const store = await openStore(readConfig(to).storeUrl);
      const found = await readMark(store.settings);
      await store.close();
      return found;
    };
    // On a fast machine it may finish before the test sees it begin.
    do {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${folder}/to.db${suffix}`, { force: true });
      const watched = await openStore(readConfig(to).storeUrl);
      const child = spawn(process.execPath, [...PROGRAM, "import", long], {
        env: boardEnvironment(environment),
        stdio: "ignore",
      });
      await eventually(
        () => readMark(watched.settings),
        (found) => found !== null,
        60_000,
      );
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      await watched.close();
    } while ((await mark())?.done === true);
    expect((await mark())?.lines).toBeGreaterThan(1);
    for (const command of [["moderate", "list"], ["export"]]) {
      expect((await board(environment, ...command)).stderr).toMatch(/^This board is half imported\..*\n$/);
    }
    expect((await board(environment, "doctor")).stdout).toMatch(
      /problem +import +This board is half imported.*begin again: delete the database/,
    );
    const second = join(folder, "second.jsonl");
    await board(large, "export", second);
    expect((await board(environment, "import", second)).stderr).toContain("imported from another export");
    const { stdout, stderr } = await board(environment, "import", long);
    expect(stderr).toContain("Start the board with this SECRET_KEY, now and later");
    expect(stdout).toMatch(/^\d+ rows\. The board has 1 publisher, 3000 posts, 0 saved queries\.\n$/);
    expect((await board(environment, "import", long)).stdout).toBe("This export is in the board already.\n");
    expect((await board(environment, "import", second)).stderr).toContain("imported from another export");
    const rows = async (side: Record<string, string>) => {
      const store = await openStore(readConfig(side).storeUrl);
      const lines = await exportTo(store, join(folder, "rows.jsonl"));
      await store.close();
      return lines;
    };
    expect(await rows(to)).toEqual(await rows(large));
  });
});

describe("linesOf", () => {
  const folder = useFolder();
  const linesIn = async (content: string | Buffer) => {
    const file = join(folder, "lines");
    writeFileSync(file, content);
    const lines: string[] = [];
    for await (const line of linesOf(file)) lines.push(line.toString("utf8"));
    return lines;
  };

  it("reads lines longer than a chunk, zipped or not, and says when a zip is cut off or damaged", async () => {
    const lines = ["x".repeat(700_000), "ü".repeat(300_000), "end"];
    const text = lines.join("\n");
    expect(await linesIn(text)).toEqual(lines);
    const zip = gzipSync(text);
    expect(await linesIn(zip)).toEqual(lines);
    for (const broken of [zip.subarray(0, -20), zip.with(zip.length >> 1, 0x55), zip.with(zip.length - 5, 1)])
      await expect(linesIn(Buffer.from(broken))).rejects.toThrow(/cut off or damaged/);
  });

  it("reads lines of 16 MiB, and refuses longer ones", async () => {
    const longest = "x".repeat(16 * 1024 * 1024);
    expect((await linesIn(longest))[0]).toHaveLength(longest.length);
    await expect(linesIn(`${longest}x`)).rejects.toThrow(/has a line of more than 16777216 bytes/);
  });
});
