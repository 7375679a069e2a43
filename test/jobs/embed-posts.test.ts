import { describe, expect, it, vi } from "vitest";
import type { BoardModel } from "../../src/domain/board/embedding-model.ts";
import { embedPosts, enqueueMissing } from "../../src/jobs/embed-posts.ts";
import { type Embedder, EmbedderUnavailable } from "../../src/ports/embedder.ts";
import { openStore } from "../../src/store/open.ts";
import { NOW } from "../contract/store/pushes/prepare.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

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
