import type { StoredSubscription, ToldChange } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { GonePost } from "../../schema/subscription.ts";
import { isWhole } from "../posts/stands-for.ts";
import { changeResource, isoTime } from "../resources.ts";

/** One event, as poll, stream and webhook carry it. */
export interface Occurrence {
  /** Names the post that was told of, and the change where one is told, so that the three agree, also after a subscription was made anew. */
  eventId: string;
  name: string;
  timestamp: string;
  data: Record<string, unknown>;
  cursor?: string;
}

interface Told {
  post: Post | GonePost;
  /** Somebody was told of this post, in whose place another date of its series may stand. */
  told: string;
  change: ToldChange | null;
  matchedAt: number;
  /** Tells its reader how to take the text in it. */
  notice: string;
}

/** Writes a match, or a change of one, as an event. It has what tells a person whether to look; `get_post` has the rest. */
export function occurrenceOf(
  { event }: Pick<StoredSubscription, "event">,
  { post, told, change, matchedAt, notice }: Told,
): Occurrence {
  return {
    eventId: change === null ? `evt_${told}` : `evt_${told}_${change.at.toString(36)}`,
    name: event ?? "post.matched",
    timestamp: isoTime(matchedAt),
    data: {
      post_id: post.id,
      ...(change === null ? {} : { change: changeResource(change) }),
      ...(isWhole(post) ? { ...tellingOf(post), content_notice: notice } : {}),
    },
  };
}

function tellingOf(post: Post) {
  const { kind, title, url, starts_at, ends_at, also_on, location, publisher, flags, parent_id } = post;
  return {
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
  };
}
