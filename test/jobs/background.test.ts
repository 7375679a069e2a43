import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BoardModel } from "../../src/domain/board/embedding-model.ts";
import type { Matching, PostToMatch } from "../../src/domain/subscriptions/matching.ts";
import { Background } from "../../src/jobs/background.ts";
import { WebhookDelivery } from "../../src/jobs/deliver-webhooks.ts";
import { embedPosts, enqueueMissing } from "../../src/jobs/embed-posts.ts";
import { matchPosts } from "../../src/jobs/match-posts.ts";
import { Poller } from "../../src/jobs/poller.ts";
import { watchStore } from "../../src/jobs/store-watch.ts";
import { type Embedder, EmbedderUnavailable } from "../../src/ports/embedder.ts";
import type { ClaimedPush, Store } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { answer, NOW, preparePushes } from "../contract/store/pushes/prepare.ts";
import { folderForTest, useFolderForEach } from "../support/run/temporary.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

describe("a poller", () => {
  let looks: number[];
  let failures: unknown[];
  let batch: () => Promise<boolean>;
  let poller: Poller;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [looks, failures, batch] = [[], [], async () => false];
    const look = () => {
      looks.push(Date.now());
      return batch();
    };
    poller = new Poller(look, (error) => failures.push(error));
  });
  afterEach(async () => {
    const stopped = poller.stop();
    await vi.runAllTimersAsync();
    await stopped;
    vi.useRealTimers();
  });

  it("looks at once, then after pauses that double up to 3.2 s, and are short again once it is nudged", async () => {
    poller.start();
    await vi.advanceTimersByTimeAsync(9_400);
    expect(looks).toEqual([0, 400, 1_200, 2_800, 6_000, 9_200]);
    poller.nudge();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks.slice(6)).toEqual([9_400, 9_800]);
  });

  it("takes batch after batch while there may be more, and then looks again soon", async () => {
    poller.start();
    await vi.advanceTimersByTimeAsync(2_800);
    batch = async () => looks.length < 8;
    await vi.advanceTimersByTimeAsync(3_600);
    expect(looks.slice(4)).toEqual([6_000, 6_000, 6_000, 6_000, 6_400]);
  });

  it("runs one batch at a time, and once more where it was nudged meanwhile", async () => {
    batch = () => new Promise((resolve) => setTimeout(resolve, 100, false));
    poller.start();
    await vi.advanceTimersByTimeAsync(50);
    poller.nudge();
    poller.nudge();
    await vi.advanceTimersByTimeAsync(300);
    expect(looks).toEqual([0, 100]);
  });

  it("rests two seconds after a failure, and looks no more once it is stopped, which waits for the batch", async () => {
    batch = () => Promise.reject(new Error("broken"));
    poller.start();
    await vi.advanceTimersByTimeAsync(1_999);
    expect([looks, failures]).toEqual([[0], [new Error("broken")]]);
    let isDone = false;
    batch = () => new Promise((resolve) => setTimeout(resolve, 100, true)).then(() => (isDone = true));
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toEqual([0, 2_000]);
    const stopped = poller.stop().then(() => isDone);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await stopped, looks.length]).toEqual([true, 2]);
  });
});

describe("the watch on the store", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells each second whether it can be written, also where it does not answer, until it ends", async () => {
    const told: unknown[] = [];
    const answers = [{ unwritable: null }, { unwritable: "full" }];
    const ping = async () => answers.shift() ?? Promise.reject("gone");
    const end = watchStore({ ping } as unknown as Store, {
      available: () => told.push("available"),
      unavailable: (why) => told.push(why),
    });
    await vi.advanceTimersByTimeAsync(3_999);
    expect(told).toEqual(["available", "full", "gone"]);
    vi.advanceTimersByTime(1);
    end();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(told).toHaveLength(3);
  });
});

describe("embedding posts", () => {
  const folder = useFolderForEach();

  it("gives vectors to posts in batches of 32, and work back for a second where the model cannot answer", async () => {
    const store = await openStore(`sqlite:${folder()}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    const ids = Array.from({ length: 33 }, (_, n) => `p${n}`);
    for (const id of ids) await store.posts.insert(aPost(id, { createdAt: NOW, updatedAt: NOW }));
    let fails: Error | null = null;
    let state = "loading";
    const embedder = {
      modelId: "test-model",
      english: false,
      state: () => state,
      embed: async (texts: unknown[]) => {
        if (fails !== null) throw fails;
        return texts.map(() => new Float32Array(16).fill(0.25));
      },
    } as unknown as Embedder;
    let isOurs = false;
    const boardModel = { isOurs: async () => isOurs } as BoardModel;
    const at = (now: number) => embedPosts({ store, embedder, boardModel }, now);
    const made = async () => (await store.posts.vectors(ids, "test-model")).filter(Boolean).length;
    state = "ready";
    // Under a model that is not the board's nothing is embedded, nor renewed.
    const renewed = vi.spyOn(store.posts, "enqueueMissingVectors");
    expect([await at(NOW), await enqueueMissing({ store, embedder, boardModel })]).toEqual([0, 0]);
    expect(renewed).not.toHaveBeenCalled();
    [isOurs, state] = [true, "loading"];
    expect(await at(NOW)).toBe(0);
    state = "ready";
    fails = new EmbedderUnavailable("the queue is full");
    expect([await at(NOW), await store.work.backlog("embed")]).toEqual([0, 33]);
    fails = null;
    // The one that was not taken is due; the others a second later.
    expect([await at(NOW + 999), await made()]).toEqual([1, 1]);
    expect([await at(NOW + 1_000), await made()]).toEqual([32, 33]);
    await store.posts.update("p0", { title: "Other", updatedAt: NOW + 1 }, { text: true });
    fails = new Error("broken");
    await store.posts.update("p0", { state: "hidden" }, { text: false });
    await expect(at(NOW + 2_000)).rejects.toThrow("broken");
    // Whatever made it fail, another process tries again when the lease of 15 s has ended.
    fails = null;
    expect([await at(NOW + 16_999), await at(NOW + 17_000)]).toEqual([0, 1]);
    // A hidden post may be restored, and is found by its meaning then; of a removed one nothing is read.
    expect(await made()).toBe(33);
    await store.close();
  });
});

describe("matching posts", () => {
  const folder = useFolderForEach();

  it("takes 50 at a time, leaves those of a process that died to others after 5 s, and records 200 matches at once", async () => {
    const store = await openStore(`sqlite:${folder()}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    for (let n = 0; n < 51; n += 1) await store.posts.insert(aPost(`p${n}`));
    const met: string[] = [];
    let dies = true;
    const matching = {
      refresh: async () => {
        if (dies) throw new Error("killed");
      },
      answeredBy: ({ post }: { post: { id: string } }) => {
        met.push(post.id);
        return Array.from({ length: 9 }, (_, n) => `sub_${n}`);
      },
      tellsEachDate: () => false,
    } as unknown as Matching;
    const at = (now: number) => matchPosts({ store, matching, modelId: "", matched }, now);
    const matched = vi.fn();
    const recorded = vi.spyOn(store.subscriptions, "deliver").mockResolvedValue([]);
    const sizes = () => recorded.mock.calls.map(([some, settled]) => [some.length, settled.length]);
    await expect(at(NOW)).rejects.toThrow("killed");
    dies = false;
    expect([await at(NOW + 4_999), met]).toEqual([false, ["p50"]]);
    expect([await at(NOW + 5_000), met.length]).toEqual([true, 51]);
    expect(sizes()).toEqual([
      [9, 1],
      [200, 0],
      [200, 0],
      [50, 50],
    ]);
    expect(matched).not.toHaveBeenCalled();
    await store.close();
  });
});

describe("matching dates of a series and a reply", () => {
  const folder = useFolderForEach();

  it("tells of the next date, whichever was written first, and knows whom the reply answers", async () => {
    const store = await openStore(`sqlite:${folder()}/board.db`);
    for (const id of ["pub_a", "pub_b"]) await store.publishers.insert(aPublisher(id));
    await store.subscriptions.insert(aSubscription("sub_1"), 50);
    for (const n of [2, 1, 3]) await store.posts.insert(aPost(`p${n}`, { title: "Yoga", startsAt: NOW + n }));
    await store.posts.insert(aPost("p2-1", { parentId: "p2", publisherId: "pub_b" }));
    const answered = new Map<string, string | null>();
    let eachDate = false;
    const matching = {
      refresh: async () => {},
      answeredBy: ({ post, answers }: PostToMatch) => {
        answered.set(post.id, answers ?? null);
        return ["sub_1"];
      },
      nextOf: async () => null,
      tellsEachDate: () => eachDate,
    } as unknown as Matching;
    const matched = vi.fn();
    const told = async (now: number) => {
      await matchPosts({ store, matching, modelId: "", matched }, now);
      const deliveries = await store.subscriptions.pending("sub_1", 0, 9);
      return deliveries.map(({ post }) => post.id);
    };
    expect(await told(NOW)).toEqual(["p2-1", "p1"]);
    expect(Object.fromEntries(answered)).toEqual({ "p2-1": "pub_a", p1: null, p2: null, p3: null });
    expect(matched.mock.calls).toEqual([[new Set(["pub_a"])]]);
    // A date written later is known of until the last one is over, although posts outlive their dates.
    const date = (id: string, at: number) => store.posts.insert(aPost(id, { title: "Yoga", startsAt: at }));
    await date("p4", NOW + 4);
    expect(await told(NOW + 3)).toHaveLength(2);
    await date("p5", NOW + 90_000);
    expect(await told(NOW + 5)).toEqual(["p2-1", "p1", "p5"]);
    eachDate = true;
    for (const n of [7, 6]) await date(`p${n}`, NOW + 90_000 + n);
    expect((await told(NOW + 5)).slice(3)).toEqual(["p6", "p7"]);
    // Who waits for news hears of a change at once, as of a match.
    matched.mockClear();
    await store.posts.remove("p5", NOW + 5);
    expect(await told(NOW + 5)).toEqual(["p2-1", "p1", "p6", "p7", "p5"]);
    expect(matched.mock.calls).toEqual([[new Set(["pub_a"])]]);
    await store.close();
  });
});

/** An attempt breaks off where a program or the store fails, and not the receiver. */
const BROKEN = -1;

/** The store is real; what stands for the receiver's answer ends an attempt when the test says so. */
describe("webhook delivery", () => {
  const folder = useFolderForEach();
  let store: Store;
  let prepare: ReturnType<typeof preparePushes>;
  let sent: ClaimedPush[];
  let ends: ((status: number, deactivate?: "webhook_gone") => void)[];
  let ended: [delivered: boolean, isGivenUp: boolean][];
  let freed: number;
  let failures: unknown[];
  let delivery: WebhookDelivery;

  beforeEach(async () => {
    store = await openStore(`sqlite:${folder()}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    prepare = preparePushes(store);
    [sent, ends, ended, freed, failures] = [[], [], [], 0, []];
    const attempt = (push: ClaimedPush) => {
      sent.push(push);
      return new Promise((resolve, reject) => {
        ends.push((status, deactivate) => {
          if (status === BROKEN) return reject(new Error("broken"));
          const state = status < 300 ? "delivered" : "failed";
          const outcome = { state, dueAt: null, deactivate: deactivate ?? null };
          resolve({ attempt: status === 0 ? null : answer(NOW, status), outcome });
        });
      });
    };
    delivery = new WebhookDelivery({
      store,
      pushes: { attempt } as never,
      clock: () => NOW,
      ended: (...how) => ended.push(how),
      freed: () => {
        freed += 1;
      },
      failed: (error) => failures.push(error),
    });
  });
  afterEach(() => store.close());

  it("has 16 attempts under way at an origin, 2 at failing subscriptions of it, and 50 in all, half of them at failing ones", async () => {
    const failing = { failures: 1, failingSince: NOW };
    await prepare.consenting("one", "https://a.example");
    await prepare.consenting("failing", "https://a.example", failing);
    for (const id of ["one", "failing"]) await prepare.match(id, 20);
    expect([await delivery.claim(NOW), await delivery.claim(NOW)]).toEqual([18, 0]);
    for (let n = 0; n < 15; n += 1) {
      await prepare.consenting(`dead${n}`, `https://dead${n}.example`, failing);
      await prepare.match(`dead${n}`, 2);
    }
    expect([await delivery.claim(NOW), await delivery.claim(NOW)]).toEqual([23, 0]);
    for (let n = 0; n < 6; n += 1) {
      await prepare.consenting(`more${n}`, `https://more${n}.example`);
      await prepare.match(`more${n}`, 2);
    }
    expect(await delivery.claim(NOW)).toBe(9);
    const asked = vi.spyOn(store.pushes, "claim");
    expect([await delivery.claim(NOW), asked.mock.calls]).toEqual([0, []]);
  });

  it("leaves what it has claimed to no other process for 30 seconds", async () => {
    await prepare.consenting("one", "https://a.example");
    await prepare.match("one", 2);
    expect(await delivery.claim(NOW)).toBe(2);
    expect(await prepare.claim({ now: NOW + 29_999 })).toEqual([]);
    expect(await prepare.claim({ now: NOW + 30_000 })).toHaveLength(2);
  });

  it("has waiting pushes hastened at the start, and where the clock has gone back by more than five seconds", async () => {
    const hasten = vi.spyOn(store.pushes, "hasten");
    const hastened = async (now: number) => {
      await delivery.claim(now);
      return hasten.mock.calls.length;
    };
    const back = NOW - 5_000;
    expect([
      await hastened(NOW),
      await hastened(back),
      await hastened(back - 5_001),
      await hastened(NOW),
    ]).toEqual([1, 1, 2, 2]);
    expect(hasten).toHaveBeenLastCalledWith(back - 5_001);
  });

  it("gives back at a stop what has not ended after three seconds, and records no outcome of it", async () => {
    await prepare.consenting("one", "https://a.example");
    await prepare.match("one", 3);
    expect(await delivery.claim(NOW)).toBe(3);
    ends[0]?.(204);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let isStopped = false;
    const stopped = delivery.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isStopped).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await stopped;
    const settled = vi.spyOn(store.pushes, "settle");
    ends[1]?.(500);
    ends[2]?.(BROKEN);
    await new Promise(setImmediate);
    expect([settled.mock.calls, ended, failures]).toEqual([[], [[true, false]], []]);
    const left = await prepare.claim();
    expect(left).toMatchObject([2, 3].map((deliveryId) => ({ deliveryId, attempts: 0 })));
  });

  it("says how each attempt ended, and nothing where none was made; and that its place is free", async () => {
    await prepare.consenting("one", "https://a.example");
    await prepare.match("one", 5);
    expect(await delivery.claim(NOW)).toBe(5);
    for (const [n, status] of [204, 500, 0].entries()) ends[n]?.(status);
    ends[3]?.(BROKEN);
    ends[4]?.(410, "webhook_gone");
    await delivery.stop();
    expect([freed, failures]).toEqual([5, [new Error("broken")]]);
    expect(ended).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
    expect(await prepare.claim()).toEqual([]);
  });
});

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
