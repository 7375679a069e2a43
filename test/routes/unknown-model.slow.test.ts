import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MODELS } from "../../src/embed/models.ts";
import { preparationFor } from "../../src/search/text/model-text.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { freePort } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { embedded, matched } from "../support/boards/settled.ts";
import { useFolder } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { ensureTestModel } from "../support/search/model.ts";

const [known] = MODELS;
const work = useFolder();
let modelDir: string;
let now = Date.UTC(2026, 11, 1, 9);

beforeAll(async () => {
  modelDir = await ensureTestModel();
});

/** Writes posts with these titles, and waits until the model has read them; resolves to their ids. */
async function post(board: TestBoard, titles: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  const { key } = await register(board);
  for (const title of titles) {
    now += 1_000;
    const { id } = await write(board, key, { title, body: `${title}, please ask.`, kind: "offer" });
    ids.push(id);
  }
  await embedded(board);
  return ids;
}

describe("a model that the board does not know", () => {
  let board: TestBoard;

  beforeAll(async () => {
    // The files of the default model, under a name that the board does not know.
    const cosines = { related: 0.25, doubt: 0.1, unrelated_half: 0.1, unrelated_most: 0.23 };
    const own = join(work, "model");
    cpSync(join(modelDir, known.folder), own, { recursive: true });
    writeFileSync(join(own, "agent-board.json"), JSON.stringify({ max_tokens: 256, cosines }));
    const options = { EMBEDDINGS: "required", MODEL_DIR: modelDir, EMBEDDING_MODEL: own };
    board = await startBoard(options, { clock: () => now });
    expect(await board.board.embedder.settled()).toBe("ready");
  });
  afterAll(() => board.stop());

  it("finds by meaning, tells nonsense apart, and answers saved queries", async () => {
    const { key } = await register(board);
    const query = { query: { q: "somebody to fix my bicycle" } };
    const saved = await call(board, "POST /subscriptions", query, { key });
    expect(saved.status).toBe(201);
    const [repair] = await post(board, ["Bike repair at your door", "Apple pie recipes", "Violin lessons"]);
    const search = async (q: string) => {
      const { body } = await call(board, `GET /search?${new URLSearchParams({ q })}`);
      return (body.data as { id: string; weak?: true }[]).flatMap(({ id, weak }) => (weak ? [] : [id]));
    };
    expect((await search("mend a broken cycle"))[0]).toBe(repair);
    expect(await search("eigenvalues of sparse Hermitian matrices")).toEqual([]);
    await matched(board);
    const { body } = await call(board, `GET /subscriptions/${saved.body.data.id}/pending`, undefined, {
      key,
    });
    expect(body.data.map((match: { id: string }) => match.id)).toEqual([repair]);
  });
});

describe("a model of a hub that cannot be reached", () => {
  const EMBEDDING_MODEL = "multilingual";

  it("leaves the board to its words, and the log says that the next start tries again", async () => {
    const hub = `http://127.0.0.1:${await freePort()}/`;
    const board = await startBoard({ EMBEDDINGS: "auto", EMBEDDING_MODEL }, { hub, clock: () => now });
    try {
      expect(board.board.embedder.state()).toBe("absent");
      const { key } = await register(board);
      const input = { title: "Violin lessons", body: "For beginners.", kind: "offer" };
      const made = await call(board, "POST /posts", input, { key });
      const { body } = await call(board, "GET /search?q=violin");
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.data.id]);
      expect(body.meta.ranking).toBe("lexical");
      expect(board.logs.join("")).toMatch(
        /multilingual-e5-small cannot be downloaded .*the next start tries again/,
      );
    } finally {
      await board.stop();
    }
  });

  it("is not even asked for where meaning is off, and a wrong name is refused", async () => {
    const board = await startBoard({ EMBEDDINGS: "off", EMBEDDING_MODEL }, { clock: () => now });
    expect(board.board.embedder.state()).toBe("off");
    await board.stop();
    await expect(startBoard({ EMBEDDING_MODEL: "gpt" })).rejects.toThrow(
      /^EMBEDDING_MODEL: must be one of .*multilingual/,
    );
  });
});

describe("vectors of texts that were prepared otherwise", () => {
  it("are renewed in the background, of posts and of saved queries, and found meanwhile", async () => {
    const dataDir = join(work, "data");
    const options = { EMBEDDINGS: "required", MODEL_DIR: modelDir };
    const before = await startBoard(options, { dataDir, clock: () => now });
    const [id = ""] = await post(before, ["Gebrauchte Geige"]);
    const { key } = await register(before);
    const saved = await call(before, "POST /subscriptions", { query: { q: "Bratsche" } }, { key });
    const { store, embedder } = before.board;
    const { modelId: model } = embedder;
    const vector = async (of = store) => (await of.posts.vectors([id], model))[0] ?? null;
    const right = await vector();
    const earlier = new Int8Array(embedder.dimension).fill(5);
    const [row] = await store.posts.many([id]);
    const old = { id, updatedAt: row?.updatedAt ?? 0, model, preparation: "0-plain", vector: earlier };
    await store.posts.setVectors([old]);
    await store.subscriptions.update(saved.body.data.id, () => ({ vector: earlier, vectorModel: model }));
    expect(await vector()).toEqual(earlier);
    await before.stop();

    const after = await startBoard(options, { dataDir, clock: () => now });
    try {
      expect(await vector(after.board.store)).not.toBeNull();
      await eventually(
        () => vector(after.board.store),
        (found) => Buffer.from(found ?? []).equals(Buffer.from(right ?? [])),
        60_000,
      );
      const subscription = () => after.board.store.subscriptions.get(saved.body.data.id);
      const renewed = await eventually(subscription, (one) => one?.vectorModel !== model, 60_000);
      expect(renewed?.vectorModel).toBe(`${model}#${preparationFor(embedder)}`);
      expect(renewed?.vector).not.toEqual(earlier);
    } finally {
      await after.stop();
    }
  });
});
