import { quotedBlock, visibleLine } from "../../adapters/text/untrusted.ts";
import type { Examined, WithAuthor } from "../../domain/moderation.ts";
import { isoTime, isoTimeOrNull } from "../../domain/resources.ts";
import { counted } from "../../schema/text.ts";

/** Texts of others as they are shown in the operator's terminal: without characters that hide or steer. */

const editedAt = ({ post }: WithAuthor) => (post.updatedAt > post.createdAt ? post.updatedAt : null);

export const quotedReason = (reason: string): string => visibleLine(reason);

export const factsOfPost = (one: WithAuthor) => ({
  post: one.post.id,
  state: one.post.state,
  title: one.post.title,
  publisher: one.post.publisherId,
  name: one.author?.name ?? null,
  suspended: one.author?.suspendedAt != null,
  created_at: isoTime(one.post.createdAt),
  edited_at: isoTimeOrNull(editedAt(one)),
  flags: [...one.post.flags],
});

/** One line: id, state, time, title, author. */
export function lineOfPost({ post, author }: WithAuthor): string {
  const state = author?.suspendedAt == null ? post.state : `${post.state}, suspended`;
  const name = `${visibleLine(author?.name ?? "")} (${post.publisherId})`;
  return [post.id, state, isoTime(post.createdAt), visibleLine(post.title), name].join("\t");
}

export const examinedFacts = (one: Examined) => ({
  ...factsOfPost(one),
  kind: one.post.kind,
  body: one.post.body,
  link: one.post.link,
  tags: one.post.tags,
  parent: one.post.parentId,
  reports: one.reports.map(({ reason, details, createdAt, older, reporter }) => ({
    at: isoTime(createdAt),
    by: reporterName(reporter),
    reason,
    details,
    before_last_edit: older,
  })),
  acts: one.acts.map((act) => ({ ...act, at: isoTime(act.at) })),
});

/** A publisher's id, or that nobody is known: the hash of an address says nothing to a reader. */
const reporterName = (reporter: string) => (reporter.startsWith("key:") ? reporter.slice(4) : "a visitor");

export function examinedText(one: Examined): string {
  const { post, author, reports, acts } = one;
  const edited = editedAt(one);
  const by =
    author === null
      ? post.publisherId
      : `${visibleLine(author.name)} (${author.id}), registered ${isoTime(author.createdAt)}, ${counted(author.postCount, "post")}${author.suspendedAt === null ? "" : ", suspended"}`;
  const facts = [
    `${post.id}\t${post.state}\t${post.kind}\t${visibleLine(post.title)}`,
    `by ${by}`,
    `written ${isoTime(post.createdAt)}${edited === null ? "" : `, edited ${isoTime(edited)}`}`,
    ...(post.parentId === null ? [] : [`a reply to ${post.parentId}`]),
    ...(post.link === null ? [] : [`link ${visibleLine(post.link)}`]),
    ...(post.flags.length === 0 ? [] : [`flags: ${post.flags.join(", ")}`]),
    quotedBlock(post.body),
    `${counted(reports.length, "report")}:`,
    ...reports.map(
      ({ reason, details, createdAt, older, reporter }) =>
        `${isoTime(createdAt)}\t${reason}\tby ${reporterName(reporter)}${older ? "\tbefore the last edit" : ""}${details === null ? "" : `\n${quotedBlock(details, "  ")}`}`,
    ),
    ...acts.map(
      ({ at, action, subject, actor, reason }) =>
        `${isoTime(at)}\t${action} ${subject}\tby ${actor}\t${quotedReason(reason)}`,
    ),
  ];
  return `${facts.join("\n")}\n`;
}
