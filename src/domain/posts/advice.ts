import type { Advice } from "../../board/failures.ts";

/** Puts a sentence around the call that changes a post. */
export function adviceToEdit(id: string, sentence: (call: string) => string): Advice {
  return {
    rest: sentence(`PATCH /posts/${id}`),
    tools: sentence(`create_post {"id":"${id}"}`),
    reading: sentence("edit it where posts are written"),
  };
}

/** Tells the owner of a post that has ended that its text is still there. */
export function adviceOnEnded(id: string): Advice {
  const ended =
    "Ended: not found by default any more; a later `expires_at` brings it back. Its text stays readable at its address for 90 days";
  return {
    rest: `${ended}; to erase it now: DELETE /posts/${id}.`,
    tools: `${ended}; to take it down now: create_post {"id":"${id}","delete":true}.`,
    reading: `${ended}.`,
  };
}
