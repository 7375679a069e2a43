import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import sqlite, { type SqliteStore } from "../../src/store/sqlite/index.ts";
import { ROW_SOURCES } from "../../src/store/sqlite/transfer/rows.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const ONE_PUSH = { limit: 1, perOrigin: 1, failing: 1, leaseMs: 1000, now: T0 };

describe("the plans of the SQLite store", () => {
  let folder: string;
  let s: SqliteStore;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "board-plans-"));
    s = await sqlite.openStore(`sqlite:${join(folder, "board.db")}`);
  });
  afterEach(async () => {
    await s.close();
    rmSync(folder, { recursive: true });
  });

  /** Intended scans: of parameters, of bounded inner queries, of partial indexes with few rows, of counts. */
  const ALLOWED = [
    /^SCAN (json_each|d$|t VIRTUAL TABLE|CONSTANT ROW)/,
    /^SCAN publisher USING (COVERING )?INDEX/,
    /^SCAN subscription USING COVERING INDEX subscription_active/,
    /^SCAN subscription_purge/,
    // Publishers found so far in a thread, at most 202.
    /^SCAN replier$/,
    // The queue of moderation is counted when the operator asks for it.
    /^SCAN r USING INDEX sqlite_autoindex_report_/,
    // In order, and cut by LIMIT.
    /^SCAN moderation$/,
  ];

  it("use an index wherever rows are many", async () => {
    await s.publishers.insert(aPublisher("pub_a"));
    await s.publishers.insert(aPublisher("pub_b"));
    await s.posts.insert(aPost("p"), { guard: { since: 0, limit: 1, check() {} } });
    await s.posts.insert(aPost("p-1", { parentId: "p" }));
    await s.posts.insert(aPost("p-2", { parentId: "p", publisherId: "pub_b" }));
    await s.posts.update("p", { tags: ["x"] }, { text: true });
    await s.posts.many(["p"]);
    await s.posts.replies("p", { after: { at: T0, id: "a" }, limit: 1 });
    await s.posts.byPublisher("pub_a", 1);
    await s.posts.addRetrievals(new Map([["p", 1]]));
    await s.posts.setVectors([{ id: "p", updatedAt: T0, model: "m", vector: new Int8Array(4) }]);
    await s.posts.enqueueMissingVectors({ model: "n" }, 1);
    await s.publishers.byKeyHash("x");
    await s.publishers.many(["pub_a"]);
    await s.publishers.update("pub_a", { name: "n" });
    await s.publishers.dueForCheck(T0, 1);
    await s.subscriptions.insert(aSubscription("sub_1"), 5);
    await s.subscriptions.update("sub_1", { webhookUrl: "https://x.org/", webhookVerifiedAt: T0 });
    await s.subscriptions.ofPublisher("pub_a");
    await s.subscriptions.changes(0, 1);
    await s.subscriptions.deliver(
      [{ subscriptionId: "sub_1", postId: "p", matchedAt: T0 }],
      await s.work.claim("match", { limit: 1, leaseMs: 1, now: T0 + 9 }),
    );
    await s.work.giveBack(await s.work.claim("embed", { limit: 1, leaseMs: 1, now: T0 + 9 }), T0);
    await s.work.backlog("match");
    await s.subscriptions.pending("sub_1", 0, 1);
    await s.subscriptions.pendingCounts(["sub_1"]);
    const attempt = { at: T0, latencyMs: 1, status: 500, error: null };
    for (const [state, deactivate] of [
      ["delivered", null],
      ["failed", "webhook_gone"],
    ] as const) {
      await s.pushes.giveBack(await s.pushes.claim(ONE_PUSH));
      const [push] = await s.pushes.claim(ONE_PUSH);
      if (push === undefined) throw new Error("nothing was claimed");
      await s.pushes.settle(push, attempt, { state, dueAt: null, deactivate });
      await s.pushes.redeliver("sub_1", 1, T0);
    }
    await s.pushes.list("sub_1", { before: null, limit: 1 });
    await s.inbox.read("pub_a", 0, 1);
    await s.inbox.lastNumbers(["pub_a"]);
    await s.inbox.prune?.(T0, 1);
    await s.subscriptions.pruneDeliveries(T0 + 1, 1);
    await s.subscriptions.remove("sub_1");
    const report = {
      id: "rep_1",
      postId: "p",
      reporter: "key:pub_a",
      addresses: ["addr:1"],
      reason: "spam",
      details: null,
      createdAt: 1,
    } as const;
    await s.reports.upsert(report);
    await s.reports.upsert(report);
    await s.reports.voices("p", 0);
    await s.reports.queue(1);
    await s.reports.log({ at: 1, action: "hide", subject: "p", actor: "operator", reason: "r" });
    await s.reports.history("p", 1);
    await s.reports.history(null, 1);
    await s.statistics.counts(T0);
    await s.statistics.overview(T0, 2);
    await s.statistics.activePublishers(T0, T0 + 1);
    await s.statistics.add([{ day: "2026-11-20", name: "x", n: 1 }]);
    await s.statistics.read("2026-11-20");
    await s.posts.remove("p", T0);
    await s.posts.lastRemoved(T0, 1);
    await s.posts.erase({ expired: T0, removed: T0 + 9 }, 1);
    await s.publishers.erase("pub_a");
    await s.reindex();

    const scans: string[] = [];
    const { db } = s.connection;
    // A look at one row says whether the board is new.
    const texts = s.connection.statements().filter((text) => text !== "SELECT 1 FROM post LIMIT 1");
    expect(texts.length).toBeGreaterThan(90);
    for (const text of texts) {
      for (const { detail } of db.prepare(`EXPLAIN QUERY PLAN ${text}`).all()) {
        const meant = ALLOWED.some((form) => form.test(detail));
        if (/^SCAN/.test(detail) && !meant) scans.push(`${detail} <- ${text}`);
        // What is read in order must come in order: a sort would read everything first.
        if (/TEMP B-TREE FOR ORDER BY/.test(detail) && !text.includes("FROM report "))
          scans.push(`${detail} <- ${text}`);
      }
    }
    expect(scans).toEqual([]);
  });

  it("read a whole board in the order of its tables, without sorting it first", async () => {
    const { db } = s.connection;
    const sorts = Object.values(ROW_SOURCES).flatMap(({ columns, from, order }) =>
      db
        .prepare(`EXPLAIN QUERY PLAN SELECT ${columns} FROM ${from} ORDER BY ${order}`)
        .all()
        .filter(({ detail }) => /TEMP B-TREE/.test(detail))
        .map(({ detail }) => `${detail} <- ${from}`),
    );
    expect(sorts).toEqual([]);
  });
});
