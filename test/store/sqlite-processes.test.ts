import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import sqlite from "../../src/store/sqlite/index.ts";
import { moduleOf } from "../support/boards/board-process.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

const STORE = moduleOf("store/sqlite/index");
let folder: string;
let url: string;
const children = new Set<ChildProcess>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "board-processes-"));
  url = `sqlite:${folder}/board.db`;
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** Runs a script in its own process, with `store` open; `heard` gets each line it prints. */
function run(script: string, heard: (line: string) => void): ChildProcess {
  const whole = `import sqlite from ${JSON.stringify(STORE.href)};
    const store = await sqlite.openStore(${JSON.stringify(url)});
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

/**
 * Claims pushes and settles them, every fifth only at its second attempt; prints `sent NAME` before it settles one as
 * delivered, `settled NAME` once that is acknowledged, and `idle` when there was nothing to claim.
 */
const pusher = `
  const caps = { limit: 4, perOrigin: 3, failing: 8, leaseMs: 250 };
  while (true) {
    const held = await store.pushes.claim({ ...caps, now: Date.now() });
    if (held.length === 0) console.log("idle");
    await Promise.all(held.map(async (push) => {
      const name = push.subscriptionId + " " + push.deliveryId;
      const fails = push.deliveryId % 5 === 0 && push.attempts === 0;
      const attempt = { at: Date.now(), latencyMs: 1, status: fails ? 500 : 200, error: null };
      if (!fails) console.log("sent " + name);
      const ended = await store.pushes.settle(push, attempt, {
        state: fails ? "waiting" : "delivered", dueAt: fails ? Date.now() : null, deactivate: null,
      });
      if (ended && !fails) console.log("settled " + name);
    }));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }`;

describe("several processes on one SQLite file", () => {
  it("lose no acknowledged post when each is killed in turn while it writes", async () => {
    const store = await sqlite.openStore(url);
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
    for (let round = 0; round < 3; round += 1) {
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
    expect(ids.length).toBeGreaterThan(6 * 4);
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

  it("deliver every push, and settle each once, when each is killed in turn between claim and settlement", async () => {
    const store = await sqlite.openStore(url);
    await store.publishers.insert(aPublisher("pub_a"));
    const subscriptionIds = ["sub_0", "sub_1", "sub_2", "sub_3"];
    for (const id of subscriptionIds) {
      const webhook = { webhookUrl: `https://${id.slice(4)}.example/`, webhookVerifiedAt: 1 };
      await store.subscriptions.insert(aSubscription(id, webhook), 50);
    }
    const names: string[] = [];
    /** Posts one more and has it matched by every subscription. */
    const match = async () => {
      const postId = `p${names.length}`;
      await store.posts.insert(aPost(postId));
      const matches = subscriptionIds.map((subscriptionId) => ({ subscriptionId, postId, matchedAt: 1 }));
      const made = await store.subscriptions.deliver(matches, []);
      names.push(...made.map(({ subscriptionId, deliveryId }) => `${subscriptionId} ${deliveryId}`));
    };
    for (let n = 0; n < 40; n += 1) await match();

    const heard: string[] = [];
    let listening: { line: RegExp; resolve: () => void }[] = [];
    const next = (line: RegExp) =>
      new Promise<void>((resolve) => {
        listening.push({ line, resolve });
      });
    const start = () =>
      run(pusher, (line) => {
        heard.push(line);
        for (const { resolve } of listening.filter((one) => one.line.test(line))) resolve();
        listening = listening.filter((one) => !one.line.test(line));
      });
    const running = [start(), start(), start()];
    for (let kill = 0; kill < 3; kill += 1) {
      await Promise.all(Array.from({ length: 3 }, match));
      await next(/^sent/);
      const victim = running.shift();
      victim?.kill("SIGKILL");
      if (victim !== undefined) await once(victim, "close");
      running.push(start());
    }
    const waiting = async () => {
      const lists = await Promise.all(
        subscriptionIds.map((id) => store.pushes.list(id, { before: null, limit: 1000 })),
      );
      return lists.flat().filter(({ state }) => state === "waiting").length;
    };
    while ((await waiting()) > 0) await next(/^(settled|idle)/);
    for (const child of running) {
      child.kill("SIGKILL");
      await once(child, "close");
    }

    const records = (
      await Promise.all(subscriptionIds.map((id) => store.pushes.list(id, { before: null, limit: 1000 })))
    ).flat();
    expect(records.map(({ subscriptionId, deliveryId }) => `${subscriptionId} ${deliveryId}`).sort()).toEqual(
      [...names].sort(),
    );
    expect(new Set(records.map(({ state }) => state))).toEqual(new Set(["delivered"]));
    const sent = new Set(heard.filter((line) => line.startsWith("sent ")).map((line) => line.slice(5)));
    expect([...sent].sort()).toEqual([...names].sort());
    const settled = heard.filter((line) => line.startsWith("settled "));
    expect(new Set(settled).size).toBe(settled.length);
    const { db } = store.connection;
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
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

  it("see a rotated key at the very next read", async () => {
    const store = await sqlite.openStore(url);
    const other = await sqlite.openStore(url);
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
