import { afterEach, describe, expect, it, vi } from "vitest";
import { Background } from "../../src/jobs/background.ts";
import type { ClaimedPush } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { NOW, preparePushes } from "../contract/store/pushes/prepare.ts";
import { folderForTest } from "../support/run/temporary.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

/** A store that has no work. */
const IDLE = {
  work: { claim: async () => [] },
  pushes: { claim: async () => [], hasten: async () => {} },
  ping: async () => ({ unwritable: null }),
};

/** The parts of a board's background that a test does not look at. */
function backgroundOf(over: object) {
  return new Background({
    store: IDLE,
    embedder: { state: () => "off", settled: async () => "off" },
    matching: { refresh: async () => {}, size: 3, bytes: 900 },
    usage: { flushTallies: async () => {}, flush: async () => {} },
    waits: { wake() {} },
    jobs: [],
    clock: () => NOW,
    available: () => {},
    failed: () => {},
    ...over,
  } as unknown as ConstructorParameters<typeof Background>[0]);
}

describe("the background of a board", () => {
  afterEach(() => void vi.useRealTimers());
  /** Turns of the event loop, in which the faked clock stands still: a thousand, and more until what is waited for is so. */
  const turns = async (isSo = () => true) => {
    const end = performance.now() + 5_000;
    for (let turn = 0; turn < 1_000 || (!isSo() && performance.now() < end); turn += 1)
      await new Promise(setImmediate);
  };
  /** Only what wakes a look brings it before the pause after the first one is over. */
  const withoutPauses = () => vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout"] });

  it("writes counts each second, those of retrievals each tenth and at the end; a failure is told", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const written: string[] = [];
    const failures: string[] = [];
    const background = backgroundOf({
      usage: {
        flushTallies: async () => void written.push("tallies"),
        flush: async () => {
          written.push("all");
          if (written.length > 10) throw new Error("full");
        },
      },
      failed: (what: string, error: unknown) => failures.push(`${what}: ${error}`),
    });
    expect(background.held()).toEqual({ queries: 3, bytes: 900 });
    background.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(written).toEqual([...Array.from({ length: 9 }, () => "tallies"), "all"]);
    await background.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    await background.flush();
    expect([written.slice(10), failures]).toEqual([["all"], ["writing counters: Error: full"]]);
  });

  it("renews old vectors in slices of 320 until one is not full, once its model is the board's", async () => {
    withoutPauses();
    const slices = [320, 320, 319, 320];
    const asked: unknown[] = [];
    let chosen = 0;
    const background = backgroundOf({
      store: {
        ...IDLE,
        posts: {
          enqueueMissingVectors: async (_maker: unknown, limit: number) => {
            asked.push(limit);
            return slices.shift() ?? 0;
          },
        },
      },
      embedder: { state: () => "ready", settled: async () => "ready", modelId: "test-model", english: false },
      boardModel: {
        isOurs: async () => true,
        choose: async () => {
          chosen += 1;
        },
      },
    });
    background.start();
    await turns();
    expect([asked, chosen]).toEqual([[320, 320, 320], 1]);
    await background.stop();
  });

  it("looks a quarter of a second after the store told of posts, and seldom where it tells", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "setInterval", "clearTimeout", "Date"] });
    const looks: number[] = [];
    let told = () => {};
    const background = backgroundOf({
      store: {
        ...IDLE,
        work: {
          claim: async (kind: string) => {
            if (kind === "match") looks.push(Date.now());
            return [];
          },
          onPosts: (tell: () => void) => {
            told = tell;
          },
        },
      },
    });
    background.start();
    await vi.advanceTimersByTimeAsync(28_600);
    expect(looks).toEqual([0, 400, 1_200, 2_800, 6_000, 12_400, 20_400, 28_400]);
    told();
    told();
    await vi.advanceTimersByTimeAsync(250);
    expect(looks.slice(8)).toEqual([28_850]);
    await background.stop();
    told();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toHaveLength(9);
  });

  it("matches a post again once it has its vector, and pushes at once what a post matched", async () => {
    const folder = folderForTest();
    const store = await openStore(`sqlite:${folder}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    await preparePushes(store).consenting("one", "https://a.example");
    withoutPauses();
    const [vectors, pushed, woken]: [boolean[], number[], string[]] = [[], [], []];
    const background = backgroundOf({
      store,
      embedder: {
        state: () => "ready",
        settled: async () => "ready",
        modelId: "test-model",
        english: false,
        embed: async (texts: unknown[]) => texts.map(() => new Float32Array(16).fill(0.25)),
      },
      boardModel: { isOurs: async () => true, choose: async () => {} },
      matching: {
        refresh: async () => {},
        nextOf: async () => null,
        tellsEachDate: () => false,
        answeredBy: ({ vector }: { vector: unknown }) => {
          vectors.push(vector !== null);
          return ["one"];
        },
      },
      pushes: {
        attempt: async ({ deliveryId }: ClaimedPush) => {
          pushed.push(deliveryId);
          return { attempt: null, outcome: { state: "delivered", dueAt: null, deactivate: null } };
        },
      },
      waits: { wake: (publisherIds: Iterable<string>) => woken.push(...publisherIds) },
    });
    background.start();
    await turns();
    await store.posts.insert(aPost("p", { createdAt: NOW, updatedAt: NOW }));
    background.written();
    await turns(() => vectors.at(-1) === true && pushed.length > 0);
    expect([vectors.at(-1), pushed, woken]).toEqual([true, [1], ["pub_a"]]);
    await background.stop();
    await store.close();
  });
});
