import { randomFillSync } from "node:crypto";
import { chown, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SqliteStore } from "../../src/store/sqlite/index.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { turnsMsOf } from "../support/boards/turns.ts";
import { folderForTest } from "../support/run/temporary.ts";
import { aPost } from "../support/search/rows.ts";
import { distinctText } from "../support/texts/texts.ts";

/** The failures that need a broken or overloaded machine. */
describe("a board on a broken machine", () => {
  let board: TestBoard | undefined;
  afterEach(async () => {
    await board?.stop();
    board = undefined;
  });

  it("fails with store_unavailable while the disk is full, keeps reading, and recovers", async () => {
    board = await startBoard();
    const { key } = await register(board);
    const kept = await call(board, "POST /posts", distinctText(0), { key });
    const { db } = (board.board.store as SqliteStore).connection;
    const { page_count: pages } = db.prepare("PRAGMA page_count").get() as { page_count: number };
    db.exec(`PRAGMA max_page_count = ${pages}`);
    let refused = await call(board, "POST /posts", { ...distinctText(1), body: "x ".repeat(3_900) }, { key });
    for (let n = 2; refused.status === 201 && n < 50; n += 1) {
      const { title, body } = distinctText(n);
      refused = await call(board, "POST /posts", { title, body: `${body} `.repeat(60) }, { key });
    }
    expect(refused.status).toBe(503);
    expect(refused.body.error.code).toBe("store_unavailable");
    expect(refused.headers.get("retry-after")).toBe("2");
    expect((await call(board, `GET /posts/${kept.body.data.id}`)).status).toBe(200);
    expect(await readiness(board)).toMatchObject({
      status: 503,
      body: { ok: false, store: false, reading: true, writing: false },
    });
    const long = { ...distinctText(60), body: "x ".repeat(3_900) };
    for (let n = 0; n < 5; n += 1) {
      expect((await call(board, "POST /posts", long, { key })).status).toBe(503);
    }
    expect(board.logs.filter((line) => line.includes("disk is full"))).toHaveLength(1);
    db.exec("PRAGMA max_page_count = 1000000");
    expect(await readiness(board)).toMatchObject({ status: 200, body: { ok: true, store: true } });
    expect((await call(board, "POST /posts", distinctText(99), { key })).status).toBe(201);
  });

  it.each(["board.db", "board.db-wal", "board.db-shm"])(
    "refuses to write while its %s is elsewhere, says so once at the begin and at the end, and goes on reading",
    async (name) => {
      let later = 0;
      board = await startBoard({}, { clock: () => Date.now() + later });
      const running = board;
      const { key } = await register(board);
      const kept = (await call(board, "POST /posts", distinctText(1), { key })).body.data;
      const path = join(dirname((board.board.store as SqliteStore).file), name);
      await rename(path, `${path}-elsewhere`);
      const body = { ok: false, reading: true, writing: false };
      expect(await readiness(board)).toMatchObject({ status: 503, body });
      for (let n = 2; n < 5; n += 1) {
        const refused = await call(board, "POST /posts", distinctText(n), { key });
        expect([refused.status, refused.body.error.code]).toEqual([503, "store_unavailable"]);
      }
      expect((await call(board, `GET /posts/${kept.id}`)).status).toBe(200);
      await rename(`${path}-elsewhere`, path);
      expect(await readiness(board)).toMatchObject({ status: 200, body: { ok: true, writing: true } });
      expect((await call(board, "POST /posts", distinctText(9), { key })).status).toBe(201);
      const lines = (text: string) => running.logs.filter((line) => line.includes(text)).length;
      // It waits for two quiet seconds, by the board's clock.
      later = 2_000;
      await eventually(
        async () => lines("available again"),
        (count) => count > 0,
      );
      expect([lines("were moved, deleted or replaced"), lines("available again")]).toEqual([1, 1]);
    },
  );

  it("says within two seconds that its files are gone though nobody writes, and acknowledges nothing that is lost", async () => {
    const folder = folderForTest();
    board = await startBoard({}, { dataDir: folder });
    const running = board;
    const { key } = await register(board);
    const file = (board.board.store as SqliteStore).file;
    for (const suffix of ["", "-wal", "-shm"]) await rm(file + suffix);
    const lines = () =>
      running.logs.filter((line) => line.includes("were moved, deleted or replaced")).length;
    const told = eventually(
      async () => lines(),
      (count) => count > 0,
    );
    expect(await turnsMsOf(told)).toBeLessThan(4_000);
    const doctor = await runHere(["doctor"], { DATA_DIR: folder, PORT: new URL(running.url).port });
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(/problem +board +the running board cannot write/),
    ]);
    // Another file in its place, as a restore beside a running board makes, is not this board's either.
    await writeFile(file, "");
    const statuses = await Promise.all(
      [1, 2, 3].map((n) => call(running, "POST /posts", distinctText(n), { key })),
    );
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await call(board, "POST /publishers", { name: "Late", accept_terms: true })).status).toBe(503);
    expect(lines()).toBe(1);
  });

  it.runIf(process.geteuid?.() === 0)(
    "leaves nothing to root in a folder of the service's user",
    async () => {
      const folder = folderForTest();
      await chown(folder, 65_534, 65_534);
      board = await startBoard({}, { dataDir: join(folder, "data") });
      const { key } = await register(board);
      for (let n = 0; n < 20; n += 1) await call(board, "POST /posts", distinctText(n), { key });
      const made = await readdir(folder, { recursive: true });
      expect(made.length).toBeGreaterThan(3);
      await board.stop();
      board = undefined;
      const left = await readdir(folder, { recursive: true });
      for (const name of left) expect([name, (await stat(join(folder, name))).uid]).toEqual([name, 65_534]);
    },
  );

  it("fails with store_unavailable, and is not ready, once it meets a damaged page", async () => {
    const folder = folderForTest();
    const before = await startBoard({}, { dataDir: folder });
    const { id: publisherId } = await register(before);
    const { posts } = before.board.store;
    await Promise.all(Array.from({ length: 300 }, (_, n) => posts.insert(aPost(`p${n}`, { publisherId }))));
    const { file } = before.board.store as SqliteStore;
    await before.stop();
    board = await startBoard({}, { dataDir: folder });
    // Every page but the first ones, which opening has read.
    const bytes = await readFile(file);
    for (let at = 64 * 4096; at < bytes.length; at += 4096) randomFillSync(bytes, at, 4096);
    await writeFile(file, bytes);
    const answers = await Promise.all(
      ["GET /posts", "GET /search?q=bicycle", "GET /posts?limit=100"].map((request) =>
        call(board as TestBoard, request as "GET /posts"),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(answers[0]?.body.error.code).toBe("store_unavailable");
    expect(await readiness(board)).toMatchObject({
      status: 503,
      body: { ok: false, store: false, reading: false },
    });
    const refused = await call(board, "POST /publishers", { name: "Late", accept_terms: true });
    expect([refused.status, refused.body.error.code]).toEqual([503, "store_unavailable"]);
    expect(board.logs.filter((line) => /restore a backup/.test(line))).toHaveLength(1);
  });

  it("embeds posts even if the disk was full when the model became ready", async () => {
    // Written before there is a model: on a busy machine the model could be ready before the first post.
    const folder = folderForTest();
    const before = await startBoard({}, { dataDir: folder });
    const { key } = await register(before);
    const { id } = (await call(before, "POST /posts", distinctText(1), { key })).body.data;
    await before.stop();
    board = await startBoard({ EMBEDDINGS: "required" }, { dataDir: folder, idle: true });
    const { db } = (board.board.store as SqliteStore).connection;
    db.exec("PRAGMA query_only = ON");
    const { store, embedder } = board.board;
    // The first that a ready model does is to become the board's.
    const { mock } = vi.spyOn(store.settings, "set");
    board.board.start();
    const hasFailed = await eventually(
      async () => mock.settledResults.some(({ type }) => type === "rejected"),
      (failed) => failed,
      60_000,
    );
    expect(hasFailed).toBe(true);
    db.exec("PRAGMA query_only = OFF");
    const vectors = await eventually(
      () => store.posts.vectors([id], embedder.modelId),
      ([vector]) => vector !== null,
      20_000,
    );
    expect(vectors).toEqual([expect.any(Int8Array)]);
  });

  it("fails with overloaded while a thousand calls are under way, and then serves again", async () => {
    board = await startBoard();
    const { key } = await register(board);
    const { port, hostname } = new URL(board.url);
    const half = `POST /api/v1/posts HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const begin = () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write(half, () => resolve(socket)));
        socket.on("error", reject);
      });
    const sockets = await Promise.all(Array.from({ length: 1_000 }, begin));
    const running = board;
    // On a slow machine the first ones may have been given up before the last ones began.
    const more = async () => {
      sockets.push(...(await Promise.all(Array.from({ length: 50 }, begin))));
      return call(running, "GET /board");
    };
    const refused = await eventually(more, ({ status }) => status === 503);
    expect(refused.body.error.code).toBe("overloaded");
    expect(refused.headers.get("retry-after")).toBe("1");
    for (const socket of sockets) socket.on("error", () => {}).destroy();
    const served = await eventually(
      () => call(running, "GET /board"),
      ({ status }) => status === 200,
    );
    expect(served.status).toBe(200);
  });
});

const readiness = (board: TestBoard) => call(board, `GET ${board.url}/readyz`);
