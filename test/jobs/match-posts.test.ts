import { describe, expect, it, vi } from "vitest";
import type { Matching, PostToMatch } from "../../src/domain/subscriptions/matching.ts";
import { matchPosts } from "../../src/jobs/match-posts.ts";
import { openStore } from "../../src/store/open.ts";
import { NOW } from "../contract/store/pushes/prepare.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

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
    for (const n of [2, 1, 3])
      await store.posts.insert(aPost(`p${n}`, { title: "Yoga", startsAt: NOW + n, createdAt: NOW - n }));
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
