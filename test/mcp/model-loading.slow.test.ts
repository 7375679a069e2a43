import { expect, it } from "vitest";
import { SearchQuery } from "../../src/schema/query.ts";
import { startBoard } from "../support/boards/board.ts";

it("a search while the model loads says that it went by words only, for some seconds more", async () => {
  // The first start in a process also loads the program, which takes longer than the model.
  await (await startBoard()).stop();
  const { board, stop } = await startBoard({ EMBEDDINGS: "required" });
  const query = SearchQuery.parse({ q: "something by its meaning" });
  const notes = async () => JSON.stringify((await board.services.search.run(query, board.clock())).notes);
  expect(await notes()).toContain("The language model is still loading");
  await board.embedder.settled();
  expect(await notes()).not.toContain("loading");
  await stop();
});
