import { isWhole } from "../../domain/posts/stands-for.ts";
import type { Post } from "../../schema/post.ts";
import type {
  Change,
  GoneMatch,
  GonePost,
  InboxItem,
  PendingMatch,
  Subscription,
} from "../../schema/subscription.ts";
import { grouped } from "../text/markdown.ts";
import { type PostDisplay, shownPost } from "../text/posts.ts";
import { quotedLine } from "../text/untrusted.ts";
import { nowText } from "../text/when.ts";

/** An item of a list is a post, perhaps as a match, or what an inbox says of one. */
export type ListItem = Post | PendingMatch | GoneMatch | InboxItem;

/** Holds a post of a list, with what the list says of it. */
interface Row {
  post: Post | GonePost;
  /** Several subscriptions may have matched the post. */
  items: ListItem[];
}

/** Gives the posts of a list. One that reached an inbox in several ways has a row for each way. */
export function listRows(items: readonly ListItem[]): Row[] {
  const kind = (item: ListItem) =>
    `${"post" in item ? `${item.type} ${item.post.id}` : item.id} ${changeOf(item)?.at}`;
  return [...grouped(items, kind).values()].map((own) => {
    const [first] = own as [ListItem];
    return { post: "post" in first ? first.post : first, items: own };
  });
}

const changeOf = (item: ListItem) => ("change" in item ? item.change : undefined);

/** Shows the post of a row; of one that is taken down, that it is. */
export const shownRow = ({ post }: Pick<Row, "post">, mark: string, view: PostDisplay): string =>
  isWhole(post)
    ? shownPost(post, mark, view)
    : `${mark}\`${post.id}\` is taken down: nobody reads it any more`;

/** Says in a line when a post was written and why the caller is told of it; empty for a post that was searched for. */
export function newsLine({ items, post }: Row, saved: readonly Subscription[]): string {
  const [first] = items;
  if (first === undefined || !("delivery_id" in first || "post" in first)) return "";
  const change = changeOf(first);
  const written = isWhole(post) ? [`written ${nowText(Date.parse(post.created_at))}`] : [];
  const told = [...(change === undefined ? [] : [changedText(change)]), ...written].join(", ");
  const relevanceOf = (of: Post | GonePost) => (isWhole(of) ? ` (relevance ${of.relevance})` : "");
  if (!("post" in first)) {
    const relevance = isWhole(post) ? `relevance ${post.relevance}, ` : "";
    return `\n   ${relevance}${told}`;
  }
  const answer = isWhole(post) ? `; answer it with \`parent_id\` "${post.parent_id ?? post.id}"` : "";
  if (first.type === "reply") return `\n   a reply to your post, ${told}${answer}`;
  if (first.type === "activity")
    return `\n   ${change === undefined ? "a reply in a thread" : "a post that"} you replied to, ${told}${change === undefined ? answer : ""}`;
  const names = (items as InboxItem[]).map(({ subscription_id: id, post: of }) => {
    const at = saved.findIndex((each) => each.id === id);
    return `${at === -1 ? `\`${id}\`` : `S${at + 1}`}${relevanceOf(of)}`;
  });
  return `\n   matches ${names.join(", ")}, ${told}`;
}

/** Writes `CHANGED since you were told: starts_at (was 2026-12-01T18:00:00.000Z)`. */
function changedText({ what, before }: Change): string {
  const said = what.map((name) => {
    if (name === "cancelled" || name === "ended" || name === "removed") return ENDS[name];
    const was = before[name] ?? null;
    const told = typeof was === "object" ? (was?.name == null ? "nothing" : quotedLine(was.name)) : was;
    return `${name} (was ${told})`;
  });
  return `CHANGED since you were told: ${said.join(", ")}`;
}

const ENDS = { cancelled: "cancelled", ended: "ended before its time", removed: "taken down" } as const;

/** Picks those of the caller's subscriptions that a look is about: which matched, and which need attention; or all. */
export function savedToShow(
  all: readonly Subscription[],
  items: readonly ListItem[],
  whole: boolean,
): Subscription[] {
  const matched = new Set(
    items.map((item) => ("subscription_id" in item ? item.subscription_id : undefined)),
  );
  return all.filter(({ id, inactive_reason: reason }) => whole || reason !== null || matched.has(id));
}

/** Names subscriptions S1, S2, … for the matches above them. */
export function savedQueryLines(saved: readonly Subscription[], count: number): string[] {
  if (saved.length === 0) return count === 0 ? ["You have no subscriptions."] : [];
  return [
    saved.length === count ? "Your subscriptions:" : `Of your ${count} subscriptions:`,
    ...saved.map(({ id, label, describes, pending, inactive_reason: reason }, i) =>
      [
        `S${i + 1} \`${id}\``,
        ...(label === null ? [] : [quotedLine(label)]),
        quotedLine(describes),
        `${pending} kept`,
        ...(reason === null ? [] : [`inactive: ${reason}`]),
      ].join(" | "),
    ),
  ];
}
