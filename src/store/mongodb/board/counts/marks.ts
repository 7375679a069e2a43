import { randomUUID } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { MongodbContext } from "../../server/context.ts";

const HOUR_MS = 3_600_000;

/**
 * Has the hours in which these posts were created counted again. Part of the transaction that changes or deletes posts, so
 * that whoever sees the mark sees the change. Each mark is a document of its own: writers do not meet. A new post needs
 * none, since the latest hours are counted anyway.
 */
export async function markHours(
  { collections }: Pick<MongodbContext, "collections">,
  session: ClientSession,
  createdAt: readonly Date[],
): Promise<void> {
  if (createdAt.length === 0) return;
  const hours = [...new Set(createdAt.map((at) => hourOf(at.getTime())))].map((hour) => new Date(hour));
  await collections.count_marks.insertOne({ _id: randomUUID(), hours }, { session });
}

/** The hour's beginning. */
export const hourOf = (at: number): number => at - (at % HOUR_MS);
export const hourAfter = (hour: number): number => hour + HOUR_MS;
