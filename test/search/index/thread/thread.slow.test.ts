import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { DatabaseSync, type DatabaseSyncInstance } from "../../../../src/platform/sqlite.ts";
import { siblingOf } from "../../../../src/platform/start-worker.ts";
import { Abandoned } from "../../../../src/ports/search-index.ts";
import { StoreUnavailable } from "../../../../src/ports/store/index.ts";
import { EmbeddedIndex } from "../../../../src/search/index/index.ts";
import { OwnRows } from "../../../../src/search/index/own-rows.ts";
import { ThreadAnswers } from "../../../../src/search/index/thread/index.ts";
import {
  anEntry,
  DIMENSION,
  MODEL,
  question,
  useIndexFile,
  vectorOf,
} from "../../../support/search/open-index.ts";

const openIndex = useIndexFile();
const THREAD = new URL("../../../../src/search/index/thread/index.ts", import.meta.url);
const FIRST = { limit: 50, except: new Set<string>() };

/** A board whose searches move into a thread when it is opened. */
function openLarge(posts = 320) {
  const opened = openIndex({ threadFrom: 300 });
  opened.write((index) => {
    for (let i = 0; i < posts; i += 1) {
      const id = `p${i}`;
      index.put(anEntry({ id, title: `Bike number${i}`, tags: [`t${i % 7}`], createdAt: i, windowStart: i }));
      index.putVector(id, MODEL, vectorOf(i));
    }
  });
  return opened;
}

/** The thread of such a board by itself. */
function openThread(): { answers: ThreadAnswers; file: string } {
  const file = join(openLarge().folder, "board.db");
  const start = { file, model: { modelId: MODEL, dimension: DIMENSION } };
  return { answers: new ThreadAnswers(siblingOf(THREAD.href, "worker"), start, () => {}), file };
}

const asked = question({ q: "bike number7", vector: vectorOf(7), minCosine: 0.1 });

describe("a large board", () => {
  it("is searched in a thread, which answers as this one did", async () => {
    const { index } = openLarge();
    const answers = async () => [
      await index.ask("rank", asked, { ...FIRST, rerank: true }),
      await index.ask("rank", asked, { limit: 50, except: new Set(["p7", "p8"]) }),
      await index.ask("list", question({ filter: { tags: ["t3"] } }), {
        order: "newest",
        after: null,
        limit: 30,
      }),
      await index.ask("count", asked),
      await index.ask("spots", question({}), 5),
      await index.ask("vectors", ["p5", "gone"]),
    ];
    expect(index.isThreaded).toBe(false);
    const here = await answers();
    await index.open();
    expect(index.isThreaded).toBe(true);
    expect(await answers()).toEqual(here);
    await index.close();
  });

  it("is searched in one thread, however often and late it is opened", async () => {
    const { index, write } = openLarge();
    const rank = () => index.ask("rank", asked, { ...FIRST, rerank: true });
    const here = await rank();
    await Promise.all([index.open(), index.open()]);
    expect(index.isThreaded).toBe(true);
    expect(await rank()).toEqual(here);
    write(() => index.remove("p7"));
    await index.open();
    expect((await rank()).map(({ id }) => id)).not.toContain("p7");
    await index.close();
  });

  it("does not ask for those who are gone while their question waits", async () => {
    const { index } = openLarge();
    await index.open();
    const caller = new AbortController();
    const gone = { ...asked, gone: caller.signal };
    const rank = (one: typeof asked) => index.ask("rank", one, { ...FIRST, rerank: true });
    const refused = (one: typeof asked) => rank(one).catch((error: unknown) => error);
    // The thread has two at a time. Of those that wait, the callers of some between the others go.
    const asking = [
      refused(gone),
      rank(asked),
      rank(asked),
      refused(gone),
      rank(asked),
      rank(asked),
    ] as const;
    caller.abort();
    const [underWay, first, second, waiting, ...behind] = await Promise.all(asking);
    for (const refusal of [underWay, waiting]) expect(refusal).toBeInstanceOf(Abandoned);
    await expect(rank(gone)).rejects.toThrow(Abandoned);
    expect([second, ...behind]).toEqual([first, first, first]);
    expect(await rank(asked)).toEqual(first);
    await index.close();
  });

  it("answers short questions before the rankings that wait", async () => {
    const { index } = openLarge();
    await index.open();
    const answered: string[] = [];
    const rankings = Array.from({ length: 6 }, async () => {
      await index.ask("rank", asked, { limit: 1_000, rerank: true });
      answered.push("ranking");
    });
    const short = [index.ask("vectors", ["p5"]), index.ask("rank", { ...asked, words: null }, { limit: 5 })];
    await Promise.all([
      ...rankings,
      ...short.map((one: Promise<unknown>) => one.then(() => answered.push("short"))),
    ]);
    expect(answered).toHaveLength(8);
    expect(answered.lastIndexOf("short")).toBeLessThan(4);
    await index.close();
  });

  it("finds what was committed a moment ago, here or by another process", async () => {
    const large = openLarge();
    await large.index.open();
    expect(large.index.isThreaded).toBe(true);
    large.write((index) => index.put(anEntry({ id: "new", title: "Zyzzyva" })));
    expect(await large.find("zyzzyva")).toEqual(["new"]);
    const other = openIndex();
    other.write((index) => index.put(anEntry({ id: "other", title: "Zyzzyva too" })));
    expect((await large.find("zyzzyva")).sort()).toEqual(["new", "other"]);
    large.write((index) => index.remove("new"));
    expect(await large.find("zyzzyva")).toEqual(["other"]);
    await large.index.close();
  });

  it("is searched here once its thread has ended three times", async () => {
    const { folder, index: here } = openLarge();
    const [worker, starts] = [join(folder, "ends.js"), join(folder, "starts")];
    writeFileSync(worker, `require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x")`);
    const rows = (of: DatabaseSyncInstance) => new OwnRows(of);
    const options = { rows, worker: pathToFileURL(worker), threadFrom: 300 };
    const index = new EmbeddedIndex({ modelId: MODEL, dimension: DIMENSION }, options);
    const database = new DatabaseSync(join(folder, "board.db"));
    index.attach(database);
    await index.open();
    await expect.poll(() => index.isThreaded).toBe(false);
    expect(await index.ask("count", asked)).toBe(await here.ask("count", asked));
    expect(readFileSync(starts, "utf8")).toBe("xxx");
    await index.close();
    database.close();
  });

  it("leaves a snapshot at its close, which goes when something is erased", async () => {
    const large = openLarge(2_100);
    await large.index.open();
    await large.index.close();
    const snapshot = join(large.folder, "board.db-search");
    expect(existsSync(snapshot)).toBe(true);
    const again = openIndex({ threadFrom: 300 });
    await again.index.open();
    again.write((index) => index.removePublisher("pub_1"));
    expect(existsSync(snapshot)).toBe(false);
    expect((await again.find("number7"))[0]).toBe("p7");
    await again.index.close();
  });
});

describe("the search thread", () => {
  it.runIf(process.platform === "linux")("lets the event loop go first", async () => {
    const threads = () => new Set(readdirSync("/proc/self/task"));
    const before = threads();
    const { answers } = openThread();
    await answers.ready();
    const started = [...threads()]
      .filter((id) => !before.has(id))
      .map((thread) => getPriority(Number(thread)));
    expect(Math.max(...started)).toBe(Math.min(19, getPriority(process.pid) + 5));
    await answers.close();
  });

  it("refuses what is too much, and what waited when it breaks", async () => {
    const { answers } = openThread();
    await answers.ready();
    const many = Array.from({ length: 300 }, () =>
      answers.ask("count", asked).then(
        () => "answered",
        (error: unknown) => (error instanceof StoreUnavailable ? error.message : "another error"),
      ),
    );
    const outcomes = await Promise.all(many);
    expect(outcomes.filter((outcome) => outcome === "answered").length).toBe(258);
    expect(new Set(outcomes)).toEqual(new Set(["answered", "too many searches are waiting"]));
    await answers.close();
    await expect(answers.ask("count", asked)).rejects.toThrow(StoreUnavailable);
  });

  it("refuses what has no answer after five seconds, waiting or under way", async () => {
    const { answers } = openThread();
    await answers.ready();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    // Two are sent at once.
    const counts = Array.from({ length: 5 }, () => answers.ask("count", asked));
    const outcomes = Promise.allSettled(counts);
    vi.advanceTimersByTime(4_999);
    const later = answers.ask("count", asked);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
    }
    expect(await later).toBe(await answers.ask("count", asked));
    await answers.close();
  });

  it("passes on what SQLite said", async () => {
    const { answers, file } = openThread();
    const broken = new DatabaseSync(file);
    await answers.ready();
    broken.exec("DROP TABLE index_words");
    broken.close();
    await expect(answers.ask("count", question({ q: '"two words"' }))).rejects.toThrow(/index_words/);
    await answers.close();
  });
});
