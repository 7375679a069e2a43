import type { StoredSubscription } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import { isoTime } from "../resources.ts";

/** One event, as poll, stream and webhook carry it. */
export interface Occurrence {
  /** Names the post that was told of, so that the three agree, also after a subscription was made anew. */
  eventId: string;
  name: string;
  timestamp: string;
  data: Record<string, unknown>;
  cursor?: string;
}

/**
 * A match as an event. It has what tells a person whether to look; `get_post` has the rest.
 * @param match.told  id of the post that was told of, in whose place another date of its series may stand
 * @param match.notice  what is said about the text in it
 */
export function occurrenceOf(
  { event }: Pick<StoredSubscription, "event">,
  { post, told, matchedAt, notice }: { post: Post; told: string; matchedAt: number; notice: string },
): Occurrence {
  const { id, kind, title, url, starts_at, ends_at, also_on, location, publisher, flags, parent_id } = post;
  return {
    eventId: `evt_${told}`,
    name: event ?? "post.matched",
    timestamp: isoTime(matchedAt),
    data: {
      post_id: id,
      kind,
      title,
      url,
      starts_at,
      ends_at,
      ...(also_on === undefined ? {} : { also_on }),
      place: location?.name ?? null,
      publisher: { id: publisher.id, name: publisher.name, verified: publisher.verified },
      flags,
      ...(parent_id === null ? {} : { parent_id }),
      content_notice: notice,
    },
  };
}
