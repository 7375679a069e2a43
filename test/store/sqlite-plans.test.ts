import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import sqlite, { type SqliteStore } from "../../src/store/sqlite/index.ts";
import { everyCall, fillForPlans } from "../contract/every-call.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { T0 } from "../support/search/rows.ts";

describe("the plans of the SQLite store", () => {
  const folder = useFolderForEach();
  let s: SqliteStore;

  beforeEach(async () => {
    s = await sqlite.openStore(`sqlite:${join(folder(), "board.db")}`);
  });
  afterEach(() => s.close());

  /** Intended scans: of parameters, of bounded inner queries, of partial indexes with few rows, of counts. */
  const ALLOWED = [
    /^SCAN (json_each|d$|t VIRTUAL TABLE|CONSTANT ROW)/,
    /^SCAN publisher USING (COVERING )?INDEX/,
    /^SCAN subscription USING COVERING INDEX subscription_active/,
    /^SCAN subscription_purge/,
    // What waits, when a clock goes back and at a start.
    /^SCAN push USING INDEX push_waiting/,
    // Publishers found so far in a thread, at most 202.
    /^SCAN replier$/,
    // The queue of moderation is counted when the operator asks for it.
    /^SCAN r USING INDEX sqlite_autoindex_report_/,
    // In order, and cut by LIMIT; one row for each table, or each part.
    /^SCAN (moderation|sqlite_sequence|agent_board_version)$/,
  ];

  it("use an index wherever rows are many", async () => {
    await fillForPlans(s);
    for (const call of Object.values(everyCall(s))) await call();
    await s.inbox.prune?.(T0, 1);
    await s.pruneExpired?.(T0);
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
        if (/TEMP B-TREE FOR ORDER BY/.test(detail) && !/FROM report /.test(text))
          scans.push(`${detail} <- ${text}`);
      }
    }
    expect(scans).toEqual([]);
  });
});
