import type { ClientSession } from "mongodb";
import type { SequenceDocument } from "../schema/documents.ts";
import type { MongodbContext } from "./context.ts";
import { inSession } from "./reads.ts";

type SequenceName = SequenceDocument["_id"];

/** The name in `alone` of a transaction that raises a sequence. */
export const sequenceName = (name: SequenceName): string => `sequence:${name}`;

/**
 * Raises a sequence and resolves to its new number. When two transactions raise the same one, the database commits one and
 * makes the other start again, so numbers become visible in order. Raise it first, while there is least to repeat.
 */
export async function raiseSequence(
  { collections }: MongodbContext,
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

/** The present number of a sequence, 0 before its first. */
export async function sequenceValue(
  { collections }: MongodbContext,
  name: SequenceName,
  session?: ClientSession,
): Promise<number> {
  const sequence = await collections.sequences.findOne({ _id: name }, inSession(session));
  return sequence?.n ?? 0;
}
