import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { open } from "../../src/store/sqlite/index.ts";
import { aPublisher } from "../contract/store.contract.ts";

const STORE = new URL("../../src/store/sqlite/index.ts", import.meta.url).href;
let folder: string;
let url: URL;
const children = new Set<ChildProcess>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "board-processes-"));
  url = new URL(`sqlite:${folder}/board.db`);
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** Runs a script in a process of its own, with `store` open; each line it prints is handed to `heard`. */
function run(script: string, heard: (line: string) => void): ChildProcess {
  const whole = `import { open } from ${JSON.stringify(STORE)};
    const store = await open(new URL(${JSON.stringify(url.href)}), { index: null });
    ${script}`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", whole], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  createInterface({ input: child.stdout }).on("line", heard);
  return child;
}

/** Writes posts, a few at a time, and prints the id of each once it is acknowledged. */
const writer = (name: string) => `
  for (let n = 0; ; n += 4) {
    await Promise.all([0, 1, 2, 3].map(async (k) => {
      const id = "${name}-" + (n + k);
      await store.posts.insert({
        id, publisherId: "pub_a", kind: "offer", title: id, body: "text", link: null, tags: ["t"], location: null,
        startsAt: null, endsAt: null, timezone: null, expiresAt: 2e12, expiryChosen: false, sourceUrl: null,
        syndicated: false, metadata: {}, parentId: null, replyCount: 0, lastReplyAt: null, flags: [],
        fingerprint: "00", inputHash: "00", retrievals: 0, createdAt: 1, updatedAt: 1, state: "active",
      });
      console.log(id);
    }));
  }`;

describe("several processes on one SQLite file", () => {
  it("lose no acknowledged post when each is killed in turn while it writes", async () => {
    const store = await open(url, { index: null });
    await store.publishers.insert(aPublisher("pub_a"));

    const acknowledged = new Set<string>();
    let started = 0;
    const start = async (): Promise<ChildProcess> => {
      started += 1;
      const { promise: writing, resolve } = promised();
      const child = run(writer(`w${started}`), (id) => {
        acknowledged.add(id);
        resolve();
      });
      await writing;
      return child;
    };
    const running = await Promise.all([start(), start(), start()]);
    for (let round = 0; round < 6; round += 1) {
      const victim = running.shift();
      victim?.kill("SIGKILL");
      if (victim !== undefined) await once(victim, "exit");
      running.push(await start());
    }
    for (const child of running) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }

    const ids = [...acknowledged];
    expect(ids.length).toBeGreaterThan(9 * 4);
    const found: string[] = [];
    for (let at = 0; at < ids.length; at += 1000) {
      found.push(...(await store.posts.many(ids.slice(at, at + 1000))).map(({ id }) => id));
    }
    expect(found).toEqual(ids);
    const { db } = store.connection;
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    expect(db.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    const { n } = db.prepare("SELECT count(*) AS n FROM post").get();
    expect((await store.publishers.get("pub_a"))?.postCount).toBe(n);
    expect([await store.work.backlog("match"), await store.work.backlog("embed")]).toEqual([n, n]);
    await store.close();
  });

  it("may start together on a new file, and share limits, settings and leases exactly", async () => {
    const lines: string[] = [];
    const script = (name: string) => `
      const points = [];
      for (let n = 0; n < 20; n += 1) points.push((await store.limits.add("k", 1, 1e9, 1)).points);
      const secret = await store.settings.setOnce("secret", "${name}");
      const lease = await store.leases.acquire("job", "${name}", 1000, 1);
      console.log(JSON.stringify({ points, secret, lease }));
      await store.close();`;
    await Promise.all(
      ["a", "b", "c"].map((name) =>
        once(
          run(script(name), (line) => lines.push(line)),
          "close",
        ),
      ),
    );
    const answers = lines.map((line) => JSON.parse(line));
    expect(answers).toHaveLength(3);
    expect(answers.flatMap(({ points }) => points).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, n) => n + 1),
    );
    expect(new Set(answers.map(({ secret }) => secret)).size).toBe(1);
    expect(answers.filter(({ lease }) => lease)).toHaveLength(1);
  });

  it("see a rotated key at the very next look", async () => {
    const store = await open(url, { index: null });
    const other = await open(url, { index: null });
    await store.publishers.insert(aPublisher("pub_a", { keyHash: "old" }));
    expect(await other.publishers.byKeyHash("old")).not.toBeNull();
    await store.publishers.update("pub_a", { keyHash: "new" });
    expect(await other.publishers.byKeyHash("old")).toBeNull();
    await Promise.all([store.close(), other.close()]);
  });
});

function promised(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
