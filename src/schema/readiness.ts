import { z } from "zod";

/** Of `GET /healthz`: the process answers. */
export const Health = z.object({ ok: z.literal(true) });

/**
 * Of `GET /readyz`: `ok`, and 200, as soon as store and index serve and until the process stops; the model may come later
 * or not at all.
 */
export const Readiness = z.object({
  ok: z.boolean(),
  store: z.boolean(),
  index: z.boolean(),
  reading: z.boolean().describe("Searches are answered: the database can be read, and the index serves."),
  writing: z.boolean().describe("Posts and everything else can be written."),
  search: z
    .enum(["local", "atlas", "lists", "building"])
    .describe(
      "Who answers searches: an index of this process, the database's own search, nobody but for lists by filters alone, or nobody yet.",
    ),
  model: z.enum(["ready", "loading", "absent", "off"]),
  stopping: z
    .boolean()
    .describe("The process is about to end: it answers what still arrives, but send new calls elsewhere."),
});
export type Readiness = z.infer<typeof Readiness>;
