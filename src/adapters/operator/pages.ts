import { ACTS, type Act, type Examined, type Reported, type WithAuthor } from "../../domain/moderation.ts";
import { isoTime } from "../../domain/resources.ts";
import type { Site } from "../../domain/site.ts";
import type { ModerationEntry, StoredPublisher } from "../../ports/store/index.ts";
import { counted } from "../../schema/text.ts";
import { bdi, bodyText, type Html, href, html, oneLine, outLink, shownText } from "../pages/frame/html.ts";
import { page } from "../pages/frame/layout.ts";
import type { Session } from "./access.ts";

/** A page of the operator: whose it is, and where its forms lead back to. */
export interface Desk {
  site: Site;
  session: Session;
  /** Path and query of this page. */
  here: string;
  /** What was wrong with the form before, or null. */
  problem?: string;
}

const EXCERPT_CHARS = 240;
const minute = (ms: number) => `${isoTime(ms).slice(0, 16).replace("T", " ")} UTC`;

function operatorPage(site: Site, title: string, main: Html): string {
  const description = "For the operator of this board.";
  return page({ title, description, path: null, site, noindex: true, main });
}

export function signInHtml(site: Site, problem: string | null): string {
  return operatorPage(
    site,
    "Operate",
    html`<h1>Operate ${site.identity.name}</h1>
${problem !== null && html`<div class="notice" role="alert"><p>${problem}</p></div>`}
<form class="fields" method="post" action="/operate">
<p><label for="key">Operator key</label><input id="key" type="password" name="key" required maxlength="200" autocomplete="current-password"></p>
<p><button type="submit">Sign in</button></p>
</form>`,
  );
}

/** Something that only says why nothing was done. */
export const nothingDoneHtml = (site: Site, why: string): string =>
  operatorPage(
    site,
    "Operate",
    html`<h1>Nothing was done</h1><p>${why}</p><p><a href="/operate">Begin again</a></p>`,
  );

function deskPage({ site, session, problem }: Desk, title: string, main: Html): string {
  return operatorPage(
    site,
    title,
    html`<h1>${title}</h1>
<form method="post" action="/operate/out"><input type="hidden" name="form_token" value="${session.formToken}">
<ul class="inline"><li><a href="/operate">Reports</a></li><li><a href="/operate/posts">Posts</a></li><li><a href="/operate/publishers">Publishers</a></li><li><a href="/operate/health">Health</a></li><li>${session.who} <button type="submit">Sign out</button></li></ul></form>
${problem !== undefined && html`<div class="notice" role="alert"><p>${problem}</p></div>`}
${main}`,
  );
}

/** What the operator meets first: what others reported, a search for what nobody has, and what was done. */
export function deskHtml(
  desk: Desk,
  queue: readonly Reported[],
  held: readonly WithAuthor[],
  acts: readonly ModerationEntry[],
): string {
  return deskPage(
    desk,
    "Reports",
    html`${postForm(desk, queue)}
${held.length > 0 && html`<section class="panel"><h2>First posts that wait for a look</h2>${postForm(desk, held)}</section>`}
<section class="panel"><h2>Look through posts</h2>${searchForm({})}</section>
${actsOf(acts)}`,
  );
}

export interface PostSearch {
  publisher?: string;
  since?: string;
  with?: string;
  hidden?: string;
  before?: string;
}

/** @param next  the last post, where more follow */
export function postsHtml(
  desk: Desk,
  asked: PostSearch,
  found: readonly WithAuthor[],
  next: string | null,
): string {
  return deskPage(
    desk,
    "Posts",
    html`${searchForm(asked)}${postForm(desk, found)}
${next !== null && html`<p><a href="${href("/operate/posts", { ...asked, before: next })}">Earlier ones</a></p>`}`,
  );
}

const searchForm = (
  asked: PostSearch,
): Html => html`<form class="fields" method="get" action="/operate/posts">
<p><label for="with">With these words in title, text, link or name</label><input id="with" type="text" name="with" value="${asked.with}" maxlength="200"></p>
<p><label for="since">Written since</label><input id="since" type="text" name="since" value="${asked.since}" placeholder="2 hours ago" maxlength="60"></p>
<p><label for="publisher">By the publisher</label><input id="publisher" type="text" name="publisher" value="${asked.publisher}" placeholder="pub_…" maxlength="200"></p>
<label class="check"><input type="checkbox" name="hidden" value="yes"${asked.hidden === "yes" && html` checked`}> Only hidden ones</label>
<p><button type="submit">Look</button></p></form>`;

export function publishersHtml(
  desk: Desk,
  since: string | undefined,
  found: readonly StoredPublisher[],
  next: string | null,
): string {
  const rows = found.map(
    ({
      id,
      name,
      createdAt,
      postCount,
      suspendedAt,
      verifiedAt,
    }) => html`<li><label class="check"><input type="checkbox" name="id" value="${id}"> ${bdi(name)}</label>
<p class="facts"><span class="id">${id}</span><span>registered ${minute(createdAt)}</span><a href="${href("/operate/posts", { publisher: id })}">${counted(postCount, "post")}</a>${verifiedAt !== null && html`<span>verified</span>`}${suspendedAt !== null && html`<span class="warning">suspended</span>`}</p></li>`,
  );
  const some =
    rows.length === 0 ? html`<p>None.</p>` : html`<ul>${rows}</ul>${buttons(["suspend", "reinstate"])}`;
  return deskPage(
    desk,
    "Publishers",
    html`<form class="fields" method="get" action="/operate/publishers"><p><label for="since">Registered since</label><input id="since" type="text" name="since" value="${since}" placeholder="24 hours ago" maxlength="60"></p><p><button type="submit">Look</button></p></form>
${actForm(desk, some)}
${next !== null && html`<p><a href="${href("/operate/publishers", { since, before: next })}">Earlier ones</a></p>`}`,
  );
}

/** One post as it is to be judged. */
export function examinedHtml(desk: Desk, one: Examined): string {
  const { post, reports, acts } = one;
  const lines = reports.map(
    ({ reason, details, createdAt, older, reporter }) =>
      html`<li><b>${reason}</b>, ${minute(createdAt)}, by ${reporter.startsWith("key:") ? reporter.slice(4) : "a visitor"}${older && html` <span class="warning">before the last edit</span>`}${details !== null && bodyText(details)}</li>`,
  );
  return deskPage(
    desk,
    "A post",
    html`<section class="sheet"><h2 dir="auto">${shownText(post.title)}</h2>${factsOf(one)}${bodyText(post.body)}${post.link !== null && html`<p>${outLink(post.link, post.link)}</p>`}</section>
<section class="panel"><h2>${counted(reports.length, "report")}</h2><ul>${lines}</ul></section>
${actForm(desk, html`<input type="hidden" name="id" value="${post.id}">${buttons(POST_ACTS)}`)}
${actsOf(acts)}`,
  );
}

/** Tables of what runs beside moderation. */
export const healthHtml = (
  desk: Desk,
  tables: readonly (readonly [title: string, rows: readonly (readonly string[])[]])[],
): string =>
  deskPage(
    desk,
    "Health",
    html`${tables.map(
      ([title, rows]) =>
        html`<section class="panel"><h2>${title}</h2>${rows.length === 0 ? html`<p>None.</p>` : html`<table>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${bdi(cell)}</td>`)}</tr>`)}</table>`}</section>`,
    )}`,
  );

const LABELS: Record<Act, string> = {
  hide: "Hide",
  restore: "Restore, or close the reports",
  remove: "Remove for good",
  suspend: "Suspend the publishers",
  reinstate: "Reinstate the publishers",
};
const POST_ACTS = Object.keys(ACTS) as Act[];

const buttons = (acts: readonly Act[]): Html =>
  html`<p>${acts.map((act) => html`<button type="submit" name="do" value="${act}">${LABELS[act]}</button> `)}</p>`;

const actForm = (
  { session, here }: Desk,
  rows: Html,
): Html => html`<form class="fields" method="post" action="/operate/act">
<input type="hidden" name="form_token" value="${session.formToken}"><input type="hidden" name="here" value="${here}">
<p><label>Why (the author reads this) <input type="text" name="reason" required maxlength="500"></label></p>
${rows}</form>`;

/** Posts to tick, with the acts on those that are ticked, and what can be undone or is hidden already on all that are listed. */
function postForm(desk: Desk, found: readonly (WithAuthor & Partial<Reported>)[]): Html {
  if (found.length === 0) return html`<p>None.</p>`;
  const rows = found.map((one) => {
    const { post, reporters, reasons = [] } = one;
    return html`<li><label class="check"><input type="checkbox" name="id" value="${post.id}"> ${bdi(post.title)}</label>
${factsOf(one)}${reporters !== undefined && html`<p class="warning">${counted(reporters, "reporter")}: ${reasons.join(", ")}</p>`}<p class="snippet" dir="auto">${oneLine(post.body, EXCERPT_CHARS)}</p></li>`;
  });
  const authors = new Set(found.map(({ post }) => post.publisherId));
  const hidden = found.filter(({ author }) => author?.suspendedAt != null);
  return actForm(
    desk,
    html`${buttons(POST_ACTS)}
<p><button type="submit" name="do" value="suspend all">Suspend all ${counted(authors.size, "author")} of these ${found.length}</button>
${hidden.length > 0 && html`<button type="submit" name="do" value="remove suspended">Remove the ${hidden.length} of suspended authors for good</button>`}</p>
<input type="hidden" name="listed" value="${found.map(({ post }) => post.id).join(" ")}"><ul>${rows}</ul>`,
  );
}

function factsOf({ post, author }: WithAuthor): Html {
  const { publisherId, createdAt, updatedAt } = post;
  return html`<p class="facts"><a href="/operate/posts/${post.id}"><span class="id">${post.id}</span></a><span>${post.kind}</span>${post.state === "hidden" && html`<span class="warning">hidden</span>`}<a href="${href("/operate/posts", { publisher: publisherId })}">${bdi(author?.name ?? publisherId)}</a>${author?.suspendedAt != null && html`<span class="warning">suspended</span>`}<span>${minute(createdAt)}</span>${updatedAt > createdAt && html`<span>edited ${minute(updatedAt)}</span>`}${post.flags.map((flag) => html`<span class="warning">${flag}</span>`)}</p>`;
}

const actsOf = (acts: readonly ModerationEntry[]): Html =>
  html`<section class="panel"><h2>What was done</h2><ul>${acts.map(
    ({ at, action, subject, actor, reason }) =>
      html`<li>${minute(at)}: ${action} <span class="id">${subject}</span> by ${actor}: ${bdi(reason)}</li>`,
  )}</ul></section>`;
