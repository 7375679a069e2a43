import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eraseOld } from "../../src/jobs/schedule.ts";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import type { SqliteStore } from "../../src/store/sqlite/index.ts";
import { ON_MONGODB, startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";

describe("erasure", () => {
  it("leaves no byte of a publisher's text in the data folder or the database", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "board-"));
    const board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { dataDir });
    const { key: other } = await register(board, "Other");
    const words = [
      ..."qxname qxdescr qxurl qxtitle qxbody qxtag qxplace qxmeta qxreply".split(" "),
      ..."qxlabel qxquery qxhook qxedited qxremoved qxlink qxdetail".split(" "),
    ];
    const { body } = await call(board, "POST /publishers", {
      name: "zz qxname",
      description: "zz qxdescr",
      url: "https://qxurl.example.org/",
      accept_terms: true,
    });
    const key = body.data.api_key;
    const post = await write(board, key, {
      title: "zz qxtitle",
      body: `zz qxedited ${"long ".repeat(1200)}`,
      tags: ["qxtag"],
      url: "https://example.org/qxlink",
      location: { name: "zz qxplace" },
      metadata: { "qxmeta-key": "qxmeta" },
    });
    await call(board, `PATCH /posts/${post.id}`, { body: "zz qxbody" }, { key });
    const removed = await write(board, key, { title: "zz qxremoved" });
    await call(board, `DELETE /posts/${removed.id}`, undefined, { key });
    const foreign = await write(board, other, { kind: "thread", title: "staying here" });
    await write(board, key, { title: "zz qxreply", parent_id: foreign.id });
    const saved = {
      query: { q: "zz qxquery" },
      label: "zz qxlabel",
      webhook_url: "http://127.0.0.1:9/qxhook",
    };
    await call(board, "POST /subscriptions", saved, { key });
    const report = { post_id: foreign.id, reason: "other", details: "zz qxdetail" };
    await call(board, "POST /reports", report, { key });
    await call(board, "GET /search?q=qxtitle&limit=1");
    const wordsThere = async (of: readonly string[]) => {
      const text = (await board.contents()).toLowerCase();
      return of.filter((word) => text.includes(word));
    };
    const before = await wordsThere(words);
    expect(before).toEqual(expect.arrayContaining(["qxname", "qxbody", "qxlabel", "qxdetail"]));
    expect((await call(board, "DELETE /publishers/me", undefined, { key })).status).toBe(200);
    // An index beside the store is up to date a moment later.
    const left = await eventually(
      () => wordsThere(words),
      (some) => some.length === 0,
    );
    expect(left).toEqual([]);
    expect(await wordsThere(["staying here"])).toEqual(["staying here"]);
    await board.stop();
    expect(await wordsThere(words)).toEqual([]);
    await rm(dataDir, { recursive: true, force: true });
  });

  it("leaves no byte of where a removed post was before it moved, in what others were told of it", async () => {
    const board = await startBoard();
    const [{ key }, { key: other }] = [await register(board), await register(board, "Other")];
    await call(board, "POST /subscriptions", { query: { tags: "moving" } }, { key: other });
    const told = (what?: string) =>
      eventually(
        async () => (await call(board, "GET /publishers/me/inbox", undefined, { key: other })).body.data,
        (items) => items.length > 0 && items.at(-1).change?.what[0] === what,
      );
    const isThere = async () => (await board.contents()).includes("qxformer");
    const place = { kind: "event", tags: ["moving"], location: { name: "zz qxformer" } };
    const { id } = await write(board, key, { ...place, starts_at: "2099-12-05T20:00:00Z" });
    await told();
    await call(board, `PATCH /posts/${id}`, { location: { name: "Elsewhere" } }, { key });
    await told("location");
    expect(await isThere()).toBe(true);
    await call(board, `DELETE /posts/${id}`, undefined, { key });
    await told("removed");
    // The log of SQLite keeps it until the next job.
    await eraseOld(board.board.store, Date.now());
    expect(await isThere()).toBe(false);
    await board.stop();
  });

  // A MongoDB has no log that a reader could hold.
  it.skipIf(ON_MONGODB)(
    "says what is still to come while another program reads the database, and a job finishes it",
    async () => {
      const board = await startBoard();
      const { key } = await register(board, "zz qxname");
      await write(board, key, { title: "zz qxtitle" });
      const { file } = board.board.store as SqliteStore;
      const reader = new DatabaseSync(file, { readOnly: true });
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM post").get();
      const { status, body } = await call(board, "DELETE /publishers/me", undefined, { key });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ deleted: true, posts: 1, complete: false });
      expect(body.meta.note).toBe(
        "Everything of yours is erased and found nowhere on the board. Older copies are still in the database's log, because another program reads the database just now; the board drops them by itself within a minute after that ends, also after a restart.",
      );
      expect(await board.contents()).toContain("qxtitle");
      reader.exec("COMMIT");
      reader.close();
      const { body: metrics } = await call(board, "GET /metrics");
      expect(metrics.data.health.jobs.map(({ name }: { name: string }) => name)).toContain("finish-erasures");
      await board.board.store.finishErasures();
      expect(await board.contents()).not.toMatch(/qxtitle|qxname/);
      await board.stop();
    },
  );
});
