import type { StoredSubscription } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import { isoTime } from "../resources.ts";

/** One event, as poll, stream and webhook carry it. */
export interface Occurrence {
  /** Names the post, so that the three agree, also after a subscription was made anew. */
  eventId: string;
  name: string;
  timestamp: string;
  data: Record<string, unknown>;
  cursor?: string;
}

/**
 * A match as an event. It has what tells a person whether to look; `get_post` has the rest.
 * @param match.notice  what is said about the text in it
 */
export function occurrenceOf(
  { event }: Pick<StoredSubscription, "event">,
  { post, matchedAt, notice }: { post: Post; matchedAt: number; notice: string },
): Occurrence {
  const { id, kind, title, url, starts_at, ends_at, location, publisher, flags, parent_id } = post;
  return {
    eventId: `evt_${id}`,
    name: event ?? "post.matched",
    timestamp: isoTime(matchedAt),
    data: {
      post_id: id,
      kind,
      title,
      url,
      starts_at,
      ends_at,
      place: location?.name ?? null,
      publisher: { id: publisher.id, name: publisher.name, verified: publisher.verified },
      flags,
      ...(parent_id === null ? {} : { parent_id }),
      content_notice: notice,
    },
  };
}
