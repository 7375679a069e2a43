import { z } from "zod";
import { id, idOf, moment, type RowOf, record, text } from "./record.ts";

export const SETTING = record({ name: id, value: text }, [["name"]]);

/** Counts something on one UTC day. */
export const COUNTER = record({ day: z.iso.date(), name: id, n: z.int() });

/** Such work is still to be done on a post. */
export const WORK = record({ kind: z.enum(["match", "embed"]), postId: idOf("post", id) });

/** A ranking is saved with its second page, so that later pages neither repeat nor skip. */
export const RANKING = record({
  id,
  ids: z.array(id).readonly(),
  /** It lies in 0…1, one for each id. */
  relevance: z.array(z.number()).readonly(),
  /** This ranking continues that one. */
  previous: id.nullable(),
  expiresAt: moment,
});
export type FrozenRanking = RowOf<typeof RANKING>;
