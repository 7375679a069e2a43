import { execFile } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { rename } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { measured } from "../../src/adapters/http/measured.ts";
import { LAST_BACKUP } from "../../src/domain/board/metrics.ts";
import { ON_MONGODB, startBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { aFeedOf, startFeedSource } from "../support/boards/feed-source.ts";
import { useFolder, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { mcpClient } from "../support/clients/mcp-clients.ts";
import { startWebhook, subscribeTo } from "../support/clients/webhooks.ts";
import { mountSmallDisk, unmount } from "../support/run/small-disk.ts";

const [MINUTE, DAY] = [60_000, 86_400_000];
let now = Date.now();
const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1", TRUST_PROXY: "1" }, { clock: () => now });
const me = usePublisher(board, "Operator's neighbour");
let registry: Registry;
beforeAll(() => {
  registry = measured(board.board);
});
afterAll(() => registry.clear());

/** The figure of a metric as Prometheus reads it, such as `board_file_bytes{file="wal"}`. */
async function figure(name: string, from = registry): Promise<number | undefined> {
  const [found] = await figures([name], from);
  return found;
}
/** Several figures of one reading. */
async function figures(names: readonly string[], from = registry): Promise<(number | undefined)[]> {
  const lines = (await from.metrics()).split("\n");
  return names.map((name) => {
    const line = lines.find((each) => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  });
}
const becomes = (name: string, value: number) =>
  expect.poll(() => figure(name), { timeout: 15_000 }).toBe(value);

describe("a state that an operator asks about", () => {
  it("a dead receiver: attempts, failures, what waits and since when, and that it was given up", async () => {
    const webhook = await startWebhook();
    const { id } = await subscribeTo(board, me.key, webhook, { tags: "dead" });
    const [delivered, failed] = ["delivered", "failed"].map(
      (result) => `board_push_attempts_total{result="${result}"}`,
    ) as [string, string];
    await write(board, me.key, { tags: ["dead"] });
    await becomes(delivered, 1);
    expect([await figure(failed), await figure("board_pushes_waiting")]).toEqual([0, 0]);
    expect(await figure("board_pushes_oldest_seconds")).toBe(0);
    await webhook.stop();
    await write(board, me.key, { tags: ["dead"] });
    await becomes(failed, 1);
    await becomes("board_pushes_waiting", 1);
    expect(await figure("board_webhooks_given_up_total")).toBe(0);
    await board.board.store.subscriptions.update(id, { failingSince: now - 6 * DAY });
    // It is tried again after four seconds at the earliest.
    now += 3_000;
    expect(await figure("board_pushes_oldest_seconds")).toBe(3);
    now += MINUTE;
    await becomes(failed, 2);
    await becomes("board_webhooks_given_up_total", 1);
    // Nothing may be pushed there now.
    await becomes("board_pushes_waiting", 0);
  });

  it("a failing feed: failures in a row, and when it last succeeded", async () => {
    const source = await startFeedSource();
    const { syndication } = board.board;
    const feed = aFeedOf({
      id: "feed_town",
      url: `${source.origin}/feed`,
      kind: "jsonl",
      publisherId: me.id,
    });
    // The minute's job leaves it alone.
    const state = await syndication.feeds.state(feed.id);
    await syndication.feeds.keepState(feed.id, { ...state, nextAt: now + DAY });
    await syndication.feeds.change((all) => [...all, feed]);
    const [failures, last] = [
      'board_feed_failures{feed="feed_town"}',
      'board_feed_last_success_timestamp_seconds{feed="feed_town"}',
    ] as const;
    expect([await figure(failures), await figure(last)]).toEqual([0, 0]);
    for (const times of [1, 2]) {
      await expect(syndication.poll(feed)).rejects.toThrow();
      expect([await figure(failures), await figure(last)]).toEqual([times, 0]);
    }
    const entry = { id: "1", title: "A walk", text: "On Sunday.", url: "https://example.org/walk" };
    source.serve("/feed", `${JSON.stringify(entry)}\n`);
    await syndication.poll(feed);
    expect([await figure(failures), await figure(last)]).toEqual([0, now / 1_000]);
    const succeededAt = now;
    now += MINUTE;
    source.answers.clear();
    await expect(syndication.poll(feed)).rejects.toThrow();
    expect([await figure(failures), await figure(last)]).toEqual([1, succeededAt / 1_000]);
    await syndication.feeds.change((all) => all.map((one) => ({ ...one, paused: true })));
    expect(await figure(failures)).toBeUndefined();
    source.close();
  });

  it("three open reports: they are counted by post, until the operator acts", async () => {
    expect(await figure("board_reports_open")).toBe(0);
    const posts = [await write(board, me.key), await write(board, me.key), await write(board, me.key)];
    for (const { id } of posts) {
      const { key } = await register(board);
      await call(board, "POST /reports", { post_id: id, reason: "spam" }, { key });
    }
    expect(await figure("board_reports_open")).toBe(3);
    await board.board.services.moderation.act("remove", posts[0]?.id ?? "", "spam", now);
    expect(await figure("board_reports_open")).toBe(2);
  });

  it("work that waits: how much, and for how long", async () => {
    const idle = await startBoard({}, { clock: () => now, idle: true });
    const own = measured(idle.board);
    const { key } = await register(idle);
    expect(await figure('board_work_oldest_seconds{kind="match"}', own)).toBe(0);
    await write(idle, key);
    now += 10 * MINUTE;
    await write(idle, key);
    expect(await figure('board_work_waiting{kind="match"}', own)).toBe(2);
    expect(await figure('board_work_waiting{kind="embed"}', own)).toBe(2);
    const counts = ["posts_active", "publishers", "model_ready", "calls_waiting", "reports_open"];
    expect(
      await figures(
        counts.map((name) => `board_${name}`),
        own,
      ),
    ).toEqual([2, 1, 0, 0, 0]);
    expect(await figure('board_work_oldest_seconds{kind="match"}', own)).toBe(600);
    own.clear();
    await idle.stop();
  });

  it("an answer: its operation and time, and the stages of a search; not the time of a call that waited", async () => {
    const count = (operation: string) =>
      figure(`board_answer_duration_seconds_count{operation="${operation}"}`);
    const sum = (operation: string) => figure(`board_answer_duration_seconds_sum{operation="${operation}"}`);
    const before = (await count("search")) ?? 0;
    await call(board, "GET /search?q=lantern");
    const client = await mcpClient({ url: `${board.url}/mcp` });
    await client.call("search", { q: "lantern" });
    await client.close();
    expect([await count("search"), await count("tool:search")]).toEqual([before + 1, 1]);
    for (const stage of ["understand", "embed", "rank", "read"])
      expect(await figure(`board_search_stage_seconds_count{stage="${stage}"}`)).toBeGreaterThan(0);
    const [{ usage }, stage] = [board.board, 'board_search_stage_seconds_sum{stage="rank"}'];
    const ranked = (await figure(stage)) ?? 0;
    await usage.staged("rank", new Promise((resolve) => setTimeout(resolve, 50)));
    usage.answered("slow", 200, now, { ms: 1_500 });
    const more = ((await figure(stage)) ?? 0) - ranked;
    expect([more > 0.04, more < 20]).toEqual([true, true]);
    expect(await sum("slow")).toBe(1.5);
    const [thread, { key }] = [await write(board, me.key), await register(board)];
    await call(board, "GET /publishers/me/inbox", undefined, me);
    const { body } = await call(board, "GET /publishers/me/inbox", undefined, me);
    const waits = call(board, `GET /publishers/me/inbox?wait_s=50&cursor=${body.next_cursor}`, undefined, me);
    await becomes("board_calls_waiting", 1);
    await write(board, key, { parent_id: thread.id });
    expect((await waits).body.data).toHaveLength(1);
    expect(await figure("board_calls_waiting")).toBe(0);
    expect(await count("read_inbox")).toBe(2);
  });

  it("the build, the last backup, and what is on the disk", async () => {
    const text = await registry.metrics();
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(text).toContain(`board_build_info{version="${version}",node="${process.version}"} 1`);
    expect(await figure("board_backup_timestamp_seconds")).toBeNaN();
    await board.board.store.settings.set(LAST_BACKUP, String(now - DAY));
    expect(await figure("board_backup_timestamp_seconds")).toBe((now - DAY) / 1_000);
    const { bavail, blocks, bsize } = statfsSync(board.dataDir);
    expect(await figure("board_disk_bytes")).toBe(blocks * bsize);
    // Others write there too.
    expect(((await figure("board_disk_free_bytes")) ?? 0) / (bavail * bsize)).toBeCloseTo(1, 1);
    if (!ON_MONGODB) {
      writeFileSync(join(board.dataDir, "board.db-search"), "seven!!");
      expect(await figure('board_file_bytes{file="snapshot"}')).toBe(7);
      expect(await figure('board_file_bytes{file="database"}')).toBeGreaterThanOrEqual(4_096);
      expect(await figure('board_file_bytes{file="wal"}')).toBeGreaterThan(0);
    }
  });

  const READ_AND_WRITE = ["board_store_readable", "board_store_writable"];
  const both = (own: Registry) => figures(READ_AND_WRITE, own);
  it.skipIf(ON_MONGODB)(
    "a store that cannot be written: it says so, and is well again with its file",
    async () => {
      const other = await startBoard();
      const own = measured(other.board);
      expect(await both(own)).toEqual([1, 1]);
      const file = join(other.dataDir, "board.db");
      await rename(file, `${file}.moved`);
      await expect.poll(() => both(own), { timeout: 10_000 }).toEqual([1, 0]);
      await rename(`${file}.moved`, file);
      await expect.poll(() => both(own), { timeout: 10_000 }).toEqual([1, 1]);
      own.clear();
      await other.stop();
    },
  );

  const disk = mkdtempSync(join(useFolder(), "disk-"));
  const hasDisk = !ON_MONGODB && mountSmallDisk(disk, 40);
  afterAll(() => {
    if (hasDisk) unmount(disk);
  });
  it.runIf(hasDisk)(
    "a full disk: it reads and does not write, and is well again with some room",
    async () => {
      const other = await startBoard({}, { dataDir: join(disk, "data") });
      const own = measured(other.board);
      const { key } = await register(other);
      expect(await both(own)).toEqual([1, 1]);
      const filling = join(disk, "filling");
      for (const bytes of [1 << 20, 4_096])
        expect(() => {
          for (;;) appendFileSync(filling, Buffer.alloc(bytes));
        }).toThrow("ENOSPC");
      // What fits into the room that its files have already is still written.
      const body = "All that a notice may hold. ".repeat(280);
      const post = () => call(other, "POST /posts", { title: `Notice ${Math.random()}`, body }, { key });
      await expect.poll(async () => (await post()).status, { timeout: 20_000, interval: 1 }).toBe(503);
      await expect.poll(() => both(own), { timeout: 10_000 }).toEqual([1, 0]);
      expect(await figure("board_disk_free_bytes", own)).toBeLessThan(4_096);
      rmSync(filling);
      await expect.poll(() => both(own), { timeout: 10_000 }).toEqual([1, 1]);
      own.clear();
      await other.stop();
    },
  );

  it("a store that does not answer: the other figures are served all the same", async () => {
    const other = await startBoard();
    const own = measured(other.board);
    const silent = vi.spyOn(other.board.store.reports, "queue").mockReturnValue(new Promise(() => {}));
    const began = performance.now();
    expect(await figures(["board_reports_open", ...READ_AND_WRITE], own)).toEqual([Number.NaN, 1, 1]);
    expect(performance.now() - began).toBeGreaterThan(2_900);
    expect(performance.now() - began).toBeLessThan(20_000);
    silent.mockRestore();
    await other.stop();
    expect(await both(own)).toEqual([0, 0]);
    expect(await figure("board_reports_open", own)).toBeNaN();
    expect(await figure("process_resident_memory_bytes", own)).toBeGreaterThan(0);
    own.clear();
  });
});

it("no figure has a key, a word that was searched for, or an address", async () => {
  const { key } = await register(board);
  const headers = { "x-forwarded-for": "198.51.100.77", "user-agent": "curl/8 secretagent" };
  await call(board, "GET /search?q=quinceword&tags=medlartag&near=12.3456,65.4321", undefined, {
    key,
    headers,
  });
  await call(board, "GET /nothing-of-the-sort?x=quinceword", undefined, { headers });
  await call(board, "GET /search?q=quinceword", undefined, { key: `${key.slice(0, -1)}!`, headers });
  const text = await registry.metrics();
  expect(text).not.toMatch(
    /quinceword|medlartag|12\.3456|65\.4321|198\.51\.100|secretagent|nothing-of|bbk_|127\.0\.0\.1/,
  );
});

describe("the alert rules", () => {
  const RULES = "packaging/prometheus-alerts.yml";
  const rules: { alert: string; expr: string; annotations: Record<string, string> }[] = parse(
    readFileSync(RULES, "utf8"),
  ).groups.flatMap(({ rules: own }: { rules: unknown[] }) => own);

  it("ask for metrics that the board serves, and are all described", async () => {
    const served = [...(await registry.metrics()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name);
    // The last two are Prometheus' own, and of the listener.
    const known = new Set([...served, "up", "http_request_duration_seconds_bucket"]);
    const asked = rules.flatMap(
      ({ expr }) => expr.match(/\b(?:board|http|process|nodejs)_\w+|\bup\b/g) ?? [],
    );
    expect(new Set(asked).size).toBeGreaterThan(14);
    const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, ""));
    expect(asked.filter((name) => !isKnown(name))).toEqual([]);
    const page = readFileSync("docs/operate.md", "utf8");
    for (const { alert, annotations } of rules) {
      expect(Object.keys(annotations)).toEqual(["summary", "description"]);
      expect(alert).toMatch(/^Board[A-Z]\w+$/);
    }
    for (const name of served) if (name.startsWith("board_")) expect(page).toContain(`\`${name}`);
  });

  const promtool = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "agent-board"),
  ]
    .map((folder) => join(folder, "promtool"))
    .find((path) => existsSync(path));
  // It is not on this machine, and `test/support/run/promtool.sh` could not bring it.
  it.skipIf(promtool === undefined)("pass promtool check rules", async () => {
    const { stdout } = await promisify(execFile)(promtool ?? "", ["check", "rules", RULES]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
