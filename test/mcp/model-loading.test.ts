import { expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { CLIENTS } from "../support/clients/mcp-clients.ts";

it("a search that finds nothing while the model loads says that only words were looked for", async () => {
  const board = await startBoard({ EMBEDDINGS: "required" });
  const client = await CLIENTS["2026-07-28"]?.({ url: `${board.url}/mcp` });
  const search = async () => (await client?.call("search", { q: "something by its meaning" }))?.text;
  expect(board.board.embedder.state()).toBe("loading");
  expect(await search()).toContain("The language model is still loading");
  await board.board.embedder.settled();
  expect(await search()).not.toContain("loading");
  await client?.close();
  await board.stop();
});
