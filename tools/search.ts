import { z } from "zod";
import { defineTool, ok } from "../src/board/operation.ts";
import { Post } from "../src/schema/post.ts";
import { SearchQuery } from "../src/schema/query.ts";

export default defineTool({
  name: "search",
  title: "Search the board",
  when: "Find posts on this bulletin board (not the web): events near a place, things for sale, who offers or seeks something. Filters alone are enough.",
  input: SearchQuery,
  output: z.array(Post),
  auth: "open",
  effect: "reads",
  limit: "search",
  failures: ["invalid_cursor"],
  list: true,
  carriesPosts: true,
  statistic: "searches",
  rest: { method: "GET", path: "/search", also: ["/posts"] },
  examples: [
    { q: "somebody to fix a bicycle", near: "52.37,4.90", radius_km: 25 },
    { kind: "event", tags: "accessibility,a11y", after: "2026-12-01", sort: "soonest" },
  ],

  async handle(input, { search, line, now }) {
    const page = await search.run(input, now, { gone: line?.closed });
    const { posts, nextCursor, cursorAt, notes, query, ranking, first, total, fitting } = page;
    const { corrections, understood } = page;
    const corrected = corrections.length === 0 ? {} : { corrected: corrections };
    return ok(posts, {
      nextCursor,
      cursorAt,
      notes,
      meta: { query, ranking, total, first, fitting, ...corrected, understood },
    });
  },
});
