import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import sqlite from "../../src/store/sqlite/index.ts";
import { moduleOf } from "../support/boards/board-process.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { aPublisher } from "../support/search/rows.ts";

const STORE = moduleOf("store/sqlite/index");
const folder = useFolderForEach();
const url = () => `sqlite:${folder()}/board.db`;
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Runs a script in its own process, with `store` open; `heard` gets each line it prints. */
function run(script: string, heard: (line: string) => unknown): ChildProcess {
  const whole = `import sqlite from ${JSON.stringify(STORE.href)};
    const store = await sqlite.openStore(${JSON.stringify(url())});
    ${script}`;
  const child = spawn(process.execPath, [...STORE.node, "--input-type=module", "-e", whole], {
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
        fingerprint: "00", inputHash: "00", idempotencyHash: null, retrievals: 0, createdAt: 1, updatedAt: 1, state: "active",
      });
      console.log(id);
    }));
  }`;

describe("several processes on one SQLite file", () => {
  it("lose no acknowledged post when each is killed in turn while it writes", async () => {
    const store = await sqlite.openStore(url());
    await store.publishers.insert(aPublisher("pub_a"));

    const acknowledged = new Set<string>();
    let started = 0;
    const start = async (): Promise<ChildProcess> => {
      started += 1;
      const child = run(writer(`w${started}`), (id) => acknowledged.add(id));
      if (child.stdout !== null) await once(child.stdout, "data");
      return child;
    };
    const running = await Promise.all([start(), start()]);
    for (let round = 0; round < 2; round += 1) {
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
    expect(ids.length).toBeGreaterThan(4 * 4);
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
});
