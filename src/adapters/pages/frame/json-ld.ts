import type { Site } from "../../../domain/site.ts";
import type { Post, PostWithContext } from "../../../schema/post.ts";
import type { Publisher } from "../../../schema/publisher.ts";
import { offsetMs, zoneOf } from "../../../schema/time/local-time.ts";
import { isAllDay, shownEnd, statusOf } from "../../text/when.ts";
import { oneLine, safeHref } from "./html.ts";

const DESCRIPTION_CHARS = 500;

/** Gives each kind its type of schema.org. */
const TYPES = {
  event: "Event",
  offer: "Offer",
  request: "Demand",
  announcement: "SocialMediaPosting",
  thread: "DiscussionForumPosting",
} as const;

const STATUSES: Readonly<Record<string, string>> = { cancelled: "Cancelled", postponed: "Postponed" };

/** Writes a post as schema.org data. Members without a value are left out. */
export function postData(post: PostWithContext): Record<string, unknown> {
  const author = publisherData(post.publisher);
  const shared = {
    "@context": "https://schema.org",
    // Search engines refuse an event without a date.
    "@type": post.kind === "event" && post.starts_at === null ? "CreativeWork" : TYPES[post.kind],
    "@id": post.url,
    url: post.url,
  };
  const description = oneLine(post.body, DESCRIPTION_CHARS);
  switch (post.kind) {
    case "event":
      return present({
        ...shared,
        name: post.title,
        description,
        startDate: localMoment(post.starts_at, post),
        endDate: localMoment(shownEnd(post), post),
        ...(post.starts_at === null
          ? {}
          : { eventStatus: `https://schema.org/Event${STATUSES[statusOf(post) ?? ""] ?? "Scheduled"}` }),
        ...attendance(post),
        // A relay of an event is not its organizer.
        organizer: post.syndicated ? null : author,
        sameAs: safeHref(post.link),
        keywords: keywordsOf(post),
      });
    case "offer":
    case "request":
      return present({
        ...shared,
        name: post.title,
        description,
        validFrom: localMoment(post.starts_at ?? post.created_at, post),
        validThrough: localMoment(post.ends_at ?? post.expires_at, post),
        availableAtOrFrom: placeData(post),
        // A demand's `seller` is who would meet it. Its author seeks it, which schema.org says from the author's side.
        ...(post.kind === "offer" ? { seller: author } : { "@reverse": { seeks: author } }),
        sameAs: safeHref(post.link),
      });
    case "announcement":
    case "thread":
      return present({
        ...shared,
        headline: oneLine(post.title, 110),
        text: description,
        datePublished: post.created_at,
        dateModified: post.updated_at,
        author,
        commentCount: post.reply_count,
        comment: post.replies.length === 0 ? null : post.replies.map(commentData),
        contentLocation: placeData(post),
        sharedContent: safeHref(post.link),
        keywords: keywordsOf(post),
      });
  }
}

/** Writes a publisher's page as schema.org data. */
export function profileData(publisher: Publisher, site: Site): Record<string, unknown> {
  return {
    "@context": "https://schema.org",
    "@type": "ProfilePage",
    url: site.publisher(publisher.id),
    dateCreated: publisher.first_seen,
    mainEntity: publisherData(publisher),
  };
}

/** Writes the site as schema.org data. */
export function siteData(site: Site): Record<string, unknown> {
  return {
    "@context": "https://schema.org",
    "@type": "WebSite",
    name: site.identity.name,
    url: `${site.root}/`,
    description: site.identity.description,
  };
}

function publisherData(publisher: Publisher): Record<string, unknown> {
  return present({
    "@type": "Organization",
    name: publisher.name,
    url: publisher.crier_url,
    description: publisher.description === null ? null : oneLine(publisher.description, DESCRIPTION_CHARS),
    sameAs: publisher.verified ? safeHref(publisher.url) : null,
  });
}

function commentData(reply: Post): Record<string, unknown> {
  return {
    "@type": "Comment",
    url: reply.url,
    text: oneLine(reply.body, 200),
    datePublished: reply.created_at,
    author: { "@type": "Organization", name: reply.publisher.name, url: reply.publisher.crier_url },
  };
}

function placeData({ location }: Post): Record<string, unknown> | null {
  if (location === null) return null;
  const { name, lat, lng } = location;
  return present({
    "@type": "Place",
    name,
    // Search engines ask for it; people write it in one line.
    address: name,
    geo: lat === null ? null : { "@type": "GeoCoordinates", latitude: lat, longitude: lng },
  });
}

/** Tells where an event takes place, and whether people go there; unsaid where the post does not say. */
function attendance(post: Post): Record<string, unknown> {
  const mode = (word: string) => `https://schema.org/${word}EventAttendanceMode`;
  const online = post.metadata["online"] === true || ONLINE.test(post.location?.name ?? "");
  const place = ONLINE.test(post.location?.name ?? "") ? null : placeData(post);
  const virtual = online
    ? present({ "@type": "VirtualLocation", url: safeHref(post.link) ?? post.url })
    : null;
  if (place !== null && virtual !== null) {
    return { eventAttendanceMode: mode("Mixed"), location: [place, virtual] };
  }
  if (virtual !== null) return { eventAttendanceMode: mode("Online"), location: virtual };
  return place === null ? {} : { eventAttendanceMode: mode("Offline"), location: place };
}

/** These names of places are none. */
const ONLINE =
  /^\W*(?:https?:\/\/|(?:online|virtual|virtuel(?:le?)?|virtueel|remote|webinar|live ?stream|zoom|discord|(?:microsoft |ms )?teams|google meet|jitsi|skype|webex|twitch|youtube|en ligne|en línea|em linha|in rete|internet|video (?:call|conference))(?![\p{L}-]))/iu;

const keywordsOf = ({ tags }: Post) => (tags.length === 0 ? null : tags.join(", "));

/** Gives a moment as clocks at the post show it, with their offset: `2026-12-05T10:00:00+01:00`; of an all-day event, the day. */
function localMoment(iso: string | null, post: Post): string | null {
  if (iso === null) return null;
  const moment = Date.parse(iso);
  const offset = offsetMs(moment, zoneOf(post));
  const local = new Date(moment + offset).toISOString().slice(0, "YYYY-MM-DDTHH:MM:SS".length);
  if (post.kind === "event" && isAllDay(post)) return local.slice(0, "YYYY-MM-DD".length);
  return `${local}${offset < 0 ? "-" : "+"}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}`;
}

function present(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
