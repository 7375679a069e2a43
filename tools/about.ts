import { z } from "zod";
import { defineTool, ok } from "../src/board/operation.ts";
import { BoardInfo } from "../src/schema/board.ts";

export default defineTool({
  name: "about",
  title: "About this board",
  when: "Read what this bulletin board is: its size, kinds of posts, top tags and limits.",
  input: z.object({}),
  output: BoardInfo,
  auth: "open",
  effect: "reads",
  rest: { method: "GET", path: "/board" },
  examples: [{}],

  async handle(_input, { board, now }) {
    return ok(await board.about(now));
  },
});
