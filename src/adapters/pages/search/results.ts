import { notesOnUnderstood, type Understood } from "../../../domain/search/understood/index.ts";
import type { Post } from "../../../schema/post.ts";
import { type Asked, noteOf } from "../frame/view.ts";
import { type RelaxationLink, relaxationLinks } from "./relaxation-links.ts";

/** A page of results. */
export interface Results {
  posts: readonly Post[];
  nextCursor: string | null;
  /** As the board applied it: `meta.query`. */
  query: Readonly<Record<string, unknown>>;
  ranking: string;
  note: string | null;
  /** What the words say of place and time; the page shows it as chips, and not in the note. */
  understood: Understood | undefined;
  /** What the search would find with one condition fewer; only where it found nothing. */
  instead: readonly RelaxationLink[];
}

export async function resultsOf({ sent, query: params, ask }: Asked): Promise<Results> {
  const answer = await ask("/search", { ...sent }, { searched: true });
  const posts = answer.data as Post[];
  const understood = answer.meta["understood"] as Understood | undefined;
  const { q = "", kind } = answer.meta["query"] as { q?: string; kind?: string };
  const [said] = notesOnUnderstood(understood, { q, ...(kind === undefined ? {} : { kind }) });
  const ownNote =
    noteOf(answer)
      ?.replace(said?.rest ?? "", "")
      .trim() || null;
  return {
    posts,
    nextCursor: answer.next_cursor ?? null,
    query: answer.meta["query"] as Record<string, unknown>,
    ranking: String(answer.meta["ranking"]),
    note: ownNote,
    understood,
    instead:
      posts.length === 0 && params["cursor"] === undefined
        ? await relaxationLinks(params, async (input) => (await ask("/search", input)).data as Post[])
        : [],
  };
}
