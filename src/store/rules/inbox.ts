import type { InboxEntry } from "../../ports/store/index.ts";

/** At most this many publishers hear of a reply because they replied in the thread before. */
const REPLIERS_MAX = 200;
/** This many repliers are looked for: the author and the root's publisher may be among them. */
export const REPLIERS_SOUGHT = REPLIERS_MAX + 2;

/** Says who gets an inbox entry for a reply, and of which type; never its author. */
export function entriesOfReply(
  author: string,
  rootPublisher: string,
  repliers: readonly string[],
): { publisherId: string; type: InboxEntry["type"] }[] {
  const others = hearersOfEnd(
    rootPublisher,
    repliers.filter((id) => id !== author),
  );
  return [
    ...(rootPublisher === author ? [] : [{ publisherId: rootPublisher, type: "reply" as const }]),
    ...others.map((publisherId) => ({ publisherId, type: "activity" as const })),
  ];
}

/** Names those who answered a post and hear of its end. */
export const hearersOfEnd = (rootPublisher: string, repliers: readonly string[]): string[] =>
  repliers.filter((id) => id !== rootPublisher).slice(0, REPLIERS_MAX);
