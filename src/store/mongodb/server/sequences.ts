import type { ClientSession } from "mongodb";
import type { SequenceDocument } from "../schema/documents.ts";
import type { Parts } from "./context.ts";

type SequenceName = SequenceDocument["_id"];

/** The name to put into `alone` for a transaction that raises a sequence. */
export const sequenceName = (name: SequenceName): string => `sequence:${name}`;

/**
 * Raises a sequence, and resolves to its new number. Of two transactions that raise the same one at a time, the database
 * lets one commit and has the other begin anew: so numbers become visible in order. It should come first, when what is
 * to be done anew is least.
 */
export async function raise(
  { collections }: Parts,
  session: ClientSession,
  name: SequenceName,
  by = 1,
): Promise<number> {
  const sequence = await collections.sequences.findOneAndUpdate(
    { _id: name },
    { $inc: { n: by } },
    { session, upsert: true, returnDocument: "after" },
  );
  return sequence?.n ?? by;
}

/** The number that a sequence has reached, 0 before its first. */
export async function reached(
  { collections }: Parts,
  name: SequenceName,
  session?: ClientSession,
): Promise<number> {
  const sequence = await collections.sequences.findOne(
    { _id: name },
    session === undefined ? {} : { session },
  );
  return sequence?.n ?? 0;
}
