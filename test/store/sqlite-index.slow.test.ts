import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import { DAY_MS } from "../../src/platform/time.ts";
import { indexEntryOf } from "../../src/ports/index-entry.ts";
import { LIMITS } from "../../src/search/index/follower.ts";
import { indexedTextOf } from "../../src/search/index/indexed-post.ts";
import { openSqlite, sqliteIndex } from "../../src/store/sqlite/index.ts";
import { aQuestion } from "../support/boards/questions.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { allAnswers } from "../support/search/all-answers.ts";
import { wordAt } from "../support/search/history.ts";
import { openIndex, vectorOf } from "../support/search/open-index.ts";
import { aPost, aPublisher, T0 } from "../support/search/rows.ts";

const MODEL = { modelId: "test-model", dimension: 32 };
const folder = useFolderForEach();
const SMALL = { limits: { ...LIMITS, deadRows: 10, snapshotFrom: 20 } };
const open = async (options = {}) => {
  const index = sqliteIndex(MODEL, { ...SMALL, ...options });
  const store = await openSqlite(`sqlite:${join(folder(), "board.db")}`, { index });
  return { index, store, close: () => store.close() };
};

it("the index of a board reads its posts, publishers and vectors from their own rows, and keeps no copy", async () => {
  const { index, store, close } = await open();
  const idOf = (n: number) => `p${String(n).padStart(6, "0")}`;
  for (const id of ["pub_a", "pub_b", "pub_c"])
    await store.publishers.insert(aPublisher(id, { verifiedAt: id === "pub_b" ? T0 : null }));
  for (let n = 0; n < 60; n += 1) {
    const lat = 50 + (n % 7);
    await store.posts.insert(
      aPost(idOf(n), {
        publisherId: `pub_${"abc"[n % 3]}`,
        title: `${wordAt(n % 6)} ${wordAt(n % 5)} ${wordAt(40 * (n % 3))}`,
        body: `Tandem number${n} to ${wordAt(n % 4)} ${wordAt(1)} ${wordAt(2)}`,
        tags: ["a", `t${n % 9}`],
        location: n % 2 === 0 ? { name: "Riga Centre", lat, lng: 24 } : null,
        startsAt: n % 3 === 0 ? T0 + n * 3_600_000 : null,
        sourceUrl: n % 10 < 2 ? `https://a.example/${Math.floor(n / 10)}` : null,
        createdAt: T0 + n,
      }),
    );
  }
  await index.ask("count", aQuestion({ q: "tandem" }));
  const vectors = Array.from({ length: 40 }, (_, n) => ({
    id: idOf(n),
    updatedAt: T0,
    model: n === 7 ? "another-model" : MODEL.modelId,
    vector: vectorOf(n),
  }));
  await store.posts.setVectors(vectors);
  await store.posts.update(idOf(1), { title: "Harpsichord" }, { text: true });
  await store.posts.update(idOf(2), { state: "hidden" }, { text: false });
  await store.posts.update(idOf(3), { state: "hidden" }, { text: false });
  await store.posts.update(idOf(3), { state: "active" }, { text: false });
  await store.posts.remove(idOf(4), T0);
  // Two threads end, and one goes on with a new reply; a third is erased when it is over. One is hidden without its reply.
  const [lasting, ended, hidden, taken] = [idOf(10), idOf(13), idOf(16), idOf(19)];
  await store.posts.insert(aPost("over", { publisherId: "pub_b" }));
  for (const id of [lasting, ended, hidden, taken, "over"])
    await store.posts.insert(aPost(`${id}-1`, { parentId: id, publisherId: "pub_b", createdAt: T0 + 90 }));
  await index.ask("count", aQuestion({ q: "tandem" }));
  for (const id of [lasting, ended]) await store.posts.update(id, { expiresAt: T0 }, { text: false });
  await store.posts.update("over", { expiresAt: T0 - 9 }, { text: false });
  await index.ask("count", aQuestion({ q: "tandem" }));
  await store.posts.update(hidden, { state: "hidden" }, { text: false });
  await store.posts.remove(taken, T0);
  const again = aPost(`${lasting}-2`, { parentId: lasting, publisherId: "pub_b", createdAt: T0 + 91 });
  await store.posts.insert(again, { admit: () => T0 + DAY_MS });
  expect(await store.posts.erase({ expired: T0 - 8, removed: 0 }, 9)).toBe(2);
  await store.publishers.update("pub_c", { suspendedAt: T0 });
  await store.publishers.erase("pub_a");

  const replies = [`${lasting}-1`, `${lasting}-2`, `${ended}-1`, `${hidden}-1`, `${taken}-1`];
  const ids = [...Array.from({ length: 60 }, (_, n) => idOf(n)), "over", "over-1", ...replies];
  const rows = (await store.posts.many(ids)).filter(({ state }) => state === "active");
  expect(rows).toHaveLength(60 - 20 - 4 + 4);
  mkdirSync(join(folder(), "told"));
  const told = openIndex(join(folder(), "told"));
  const kept = await store.posts.vectors(
    rows.map(({ id }) => id),
    MODEL.modelId,
  );
  told.write((other) => {
    other.putPublisher("pub_b", { verified: true, suspended: false });
    other.putPublisher("pub_c", { verified: false, suspended: true });
    for (const [at, row] of rows.entries()) {
      other.put(indexEntryOf(row));
      const vector = kept[at];
      if (vector != null) other.putVector(row.id, MODEL.modelId, vector);
    }
  });
  const answers = await allAnswers(told.index);
  expect(await allAnswers(index)).toEqual(answers);
  // A start without the snapshot, the words taken anew, and a thread of its own say the same.
  expect(await store.reindex()).toBe(rows.length);
  expect(await allAnswers(index)).toEqual(answers);
  await close();
  const threaded = await open({ threadFrom: 5 });
  await threaded.index.open();
  expect(threaded.index.isThreaded).toBe(true);
  expect(await allAnswers(threaded.index)).toEqual(answers);
  expect(await threaded.index.ask("spellings", ["harpsicord", "tandom"])).toEqual(["harpsichord", "tandem"]);
  await threaded.close();
  told.database.close();

  const database = new DatabaseSync(join(folder(), "board.db"));
  database.exec("INSERT INTO index_words (index_words) VALUES ('integrity-check')");
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'index\\_%' ESCAPE '\\' AND type = 'table' ORDER BY 1",
    )
    .all()
    .map(({ name }) => name);
  expect(tables).toEqual([
    "index_change",
    "index_snapshot",
    "index_words",
    ...["config", "data", "docsize", "idx"].map((part) => `index_words_${part}`),
  ]);
  database.close();
});

it("words are taken from a text as they were: another way to spell them comes with a step that takes them anew", () => {
  // The full-text index forgets a text by the words that this makes of it. Where this fails, add a step to MIGRATIONS.
  const spelt = indexedTextOf({
    title: "Straßenbahn 東京の自転車 naïve",
    body: "Fahrradwerkstatt für 12,50 € — e-mail, don’t; Ёлка за́мок; C++",
    tags: ["jazz", "piano-lessons"],
    placeName: "Łódź",
  });
  expect(createHash("sha256").update(JSON.stringify(spelt)).digest("hex").slice(0, 16)).toBe(
    "a9fb9cf6ed2dd6e2",
  );
});
