import { z } from "zod";
import { CHANGED } from "../schema/subscription.ts";
import { moment, since, text } from "./record.ts";

/** A post that somebody was told of changed: it tells which of its fields, how they were, and when. */
const CHANGE = z.strictObject({
  at: moment,
  what: z.array(z.enum(CHANGED)).readonly(),
  before: z.strictObject({
    startsAt: moment.nullable().exactOptional(),
    endsAt: moment.nullable().exactOptional(),
    expiresAt: moment.exactOptional(),
    location: z
      .object({ name: text.nullable(), lat: z.number().nullable(), lng: z.number().nullable() })
      .nullable()
      .exactOptional(),
  }),
  /** A date that is gone leaves its series (`seriesOf`) here, since another date may stand for it. */
  series: text.nullable(),
});
export type ToldChange = z.output<typeof CHANGE>;

/** Rows from before this field have no change. */
export const change = since(CHANGE.nullable(), () => null);
