import type { Advice } from "../../failures.ts";

/** A sentence around the call that changes a post. */
export function adviceToEdit(id: string, sentence: (call: string) => string): Advice {
  return {
    rest: sentence(`PATCH /posts/${id}`),
    tools: sentence(`\`create_post\` with \`id\` "${id}"`),
    reading: sentence("edit it where posts are written"),
  };
}
