import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { putBehind } from "../../../src/domain/search/behind.ts";
import type { Store } from "../../../src/ports/store/index.ts";
import { parseQueryText } from "../../../src/search/text/query-text.ts";
import { openStore } from "../../../src/store/open.ts";
import { useFolderForEach } from "../../support/run/temporary.ts";
import { aPost, aPublisher } from "../../support/search/rows.ts";

const UNDER = "a bicycle under 100 €";

describe("a ranking by what the words ask of prices", () => {
  const folder = useFolderForEach();
  let store: Store;
  beforeEach(async () => {
    store = await openStore(`sqlite:${folder()}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    for (const [id, body] of [
      ["dear", "It costs 900 €."],
      ["cheap", "It costs 90 €."],
      ["mute", "It is for sale."],
    ] as const)
      await store.posts.insert(aPost(id, { body }));
  });
  afterEach(() => store.close());

  const ranked = (...ids: string[]) => ids.map((id) => ({ id, relevance: 0.7 }));
  const behind = async (before: ReturnType<typeof ranked>, q: string) =>
    putBehind(store.posts, before, parseQueryText(q).bounds);

  it("has those behind that name others, and stays as it is where nothing is asked", async () => {
    const before = ranked("dear", "cheap", "mute");
    expect(await behind(before, UNDER)).toEqual([
      { id: "cheap", relevance: 0.7 },
      { id: "mute", relevance: 0.7 },
      { id: "dear", relevance: 0.3 },
    ]);
    expect(await behind(before, "a bicycle")).toEqual(before);
    const [, low] = await behind(
      [
        { id: "mute", relevance: 0.3 },
        { id: "dear", relevance: 0.3 },
      ],
      UNDER,
    );
    expect(low).toEqual({ id: "dear", relevance: 0 });
  });

  it.each([
    [199, 0.3],
    [200, 0.7],
  ])("is read for its best two hundred: a dear one behind %i others has %d", async (others, relevance) => {
    const before = ranked(...Array.from({ length: others }, (_, n) => `gone${n}`), "dear");
    expect((await behind(before, UNDER)).at(-1)).toEqual({ id: "dear", relevance });
  });
});
