import { expect, it } from "vitest";
import { SearchQuery } from "../../src/schema/query.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";

it("a search while the model loads says that it went by words only, for some seconds more", async () => {
  const query = SearchQuery.parse({ q: "something by its meaning" });
  const notes = async ({ board }: TestBoard) =>
    JSON.stringify((await board.services.search.run(query, board.clock())).notes);
  // The first start and the first search in a process also load the program, which takes longer than the model.
  const first = await startBoard();
  await notes(first);
  await first.stop();
  const loading = await startBoard({ EMBEDDINGS: "required" });
  expect(await notes(loading)).toContain("The language model is still loading");
  await loading.board.embedder.settled();
  expect(await notes(loading)).not.toContain("loading");
  await loading.stop();
});
