import { ACTS, type Act, type Seen, type SeenAct, type SeenPost } from "../../domain/moderation.ts";
import { isoTime } from "../../domain/resources.ts";
import type { Site } from "../../domain/site.ts";
import type { StoredPublisher } from "../../ports/store/index.ts";
import { counted } from "../../schema/text.ts";
import { bdi, bodyText, type Html, href, html, oneLine, outLink, shownText } from "../pages/frame/html.ts";
import { page } from "../pages/frame/layout.ts";
import type { Session } from "./access.ts";
import { reportsOf, stateOf } from "./tools.ts";

/** Tells whose a page of the operator is, and where its forms lead back to. */
export interface Desk {
  site: Site;
  session: Session;
  /** This page has this path and query. */
  here: string;
}

const EXCERPT_CHARS = 240;
const minute = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;

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

/** It only says why nothing was done. */
export const nothingDoneHtml = (site: Site, why: string): string =>
  operatorPage(
    site,
    "Operate",
    html`<h1>Nothing was done</h1><p>${why}</p><p><a href="/operate">Begin again</a></p>`,
  );

function deskPage({ site, session }: Desk, title: string, main: Html): string {
  return operatorPage(
    site,
    title,
    html`<h1>${title}</h1>
<form method="post" action="/operate/out"><input type="hidden" name="form_token" value="${session.formToken}">
<ul class="inline"><li><a href="/operate">Reports</a></li><li><a href="/operate/posts">Posts</a></li><li><a href="/operate/publishers">Publishers</a></li><li><a href="/operate/health">Health</a></li><li>${session.who} <button type="submit">Sign out</button></li></ul></form>
${main}`,
  );
}

/** Shows what the operator meets first: what others reported, a search for what nobody has, and what was done. */
export const deskHtml = (desk: Desk, { posts, held, acts }: Seen): string =>
  deskPage(
    desk,
    "Reports",
    html`${postForms(desk, posts)}
${held.length > 0 && html`<section class="panel"><h2>First posts that wait for a look</h2>${postForms(desk, held)}</section>`}
<section class="panel"><h2>Look through posts</h2>${searchForm({})}</section>
${actsOf(acts)}`,
  );

/** The form of a search sends these. */
export type PostSearch = Partial<Record<"publisher" | "since" | "with" | "hidden" | "before", string>>;

/** @param next  the last post, where more follow */
export const postsHtml = (desk: Desk, asked: PostSearch, found: readonly SeenPost[], next?: string): string =>
  deskPage(
    desk,
    "Posts",
    html`${searchForm(asked)}${postForms(desk, found)}${earlier("/operate/posts", asked, next)}`,
  );

const earlier = (path: string, asked: Partial<Record<string, string>>, next: string | undefined): Html =>
  html`${next !== undefined && html`<p><a href="${href(path, { ...asked, before: next })}">Earlier ones</a></p>`}`;

const searchForm = (asked: PostSearch): Html =>
  html`<form class="fields" method="get" action="/operate/posts">
${textBox("with", "With these words in title, text, link or name", asked.with)}
${textBox("since", "Written since", asked.since, "2 hours ago")}
${textBox("publisher", "By the publisher", asked.publisher, "pub_…")}
<label class="check"><input type="checkbox" name="hidden" value="yes"${asked.hidden === "yes" && html` checked`}> Only hidden ones</label>
<p><button type="submit">Look</button></p></form>`;

const textBox = (name: string, label: string, value: string | undefined, example = ""): Html =>
  html`<p><label for="${name}">${label}</label><input id="${name}" type="text" name="${name}" value="${value}" placeholder="${example}" maxlength="200"></p>`;

export function publishersHtml(
  desk: Desk,
  since: string | undefined,
  found: readonly StoredPublisher[],
  next?: string,
): string {
  const rows = found.map(
    ({ id, name, createdAt, postCount, suspendedAt, verifiedAt }) =>
      html`<li>${tick(id, name)}${facts([
        html`<span class="id">${id}</span>`,
        `registered ${minute(isoTime(createdAt))}`,
        html`<a href="${href("/operate/posts", { publisher: id })}">${counted(postCount, "post")}</a>`,
        verifiedAt !== null && "verified",
        suspendedAt !== null && warning("suspended"),
      ])}</li>`,
  );
  return deskPage(
    desk,
    "Publishers",
    html`<form class="fields" method="get" action="/operate/publishers">${textBox("since", "Registered since", since, "24 hours ago")}<p><button type="submit">Look</button></p></form>
${rows.length === 0 ? html`<p>None.</p>` : actForm(desk, html`<ul>${rows}</ul>${buttons(["suspend", "reinstate"])}`)}
${earlier("/operate/publishers", { since }, next)}`,
  );
}

/** One post as it is to be judged. */
export function examinedHtml(desk: Desk, { posts: [post], acts }: Seen): string {
  if (post === undefined) return deskPage(desk, "A post", html`<p>None.</p>`);
  const reports = post.reports.map(
    ({ at, by, reason, details, before_last_edit: older }) =>
      html`<li><b>${reason}</b>, ${minute(at)}, by ${by}${older && html` ${warning("before the last edit")}`}${details !== null && bodyText(details)}</li>`,
  );
  return deskPage(
    desk,
    "A post",
    html`<section class="sheet"><h2 dir="auto">${shownText(post.title)}</h2>${factsOf(post)}${bodyText(post.body)}${post.link !== null && html`<p>${outLink(post.link, post.link)}</p>`}</section>
<section class="panel"><h2>${counted(reports.length, "report")}</h2><ul>${reports}</ul></section>
${actForm(desk, html`<input type="hidden" name="id" value="${post.id}">${buttons(POST_ACTS)}`)}
${actsOf(acts)}`,
  );
}

export type Table = readonly [title: string, rows: readonly (readonly string[])[]];

/** Shows tables of what runs beside moderation. */
export const healthHtml = (desk: Desk, tables: readonly Table[]): string =>
  deskPage(
    desk,
    "Health",
    html`${tables.map(
      ([title, rows]) =>
        html`<section class="panel"><h2>${title}</h2>${rows.length === 0 ? html`<p>None.</p>` : html`<table>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${bdi(cell)}</td>`)}</tr>`)}</table>`}</section>`,
    )}<p><a href="/stats">What is asked and posted</a></p>`,
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

/**
 * Shows posts to tick, with the acts on those that are ticked, and what can be undone or is hidden already on all that are
 * listed.
 */
function postForms(desk: Desk, found: readonly SeenPost[]): Html {
  if (found.length === 0) return html`<p>None.</p>`;
  const authors = new Set(found.map(({ publisher }) => publisher));
  const suspended = found.filter((post) => post.suspended);
  const ids = (name: string, posts: readonly SeenPost[]) =>
    html`<input type="hidden" name="${name}" value="${posts.map(({ id }) => id).join(" ")}">`;
  return actForm(
    desk,
    html`${buttons(POST_ACTS)}
<p><button type="submit" name="do" value="suspend listed">Suspend all ${counted(authors.size, "author")} of these ${found.length}</button>
${suspended.length > 0 && html`<button type="submit" name="do" value="remove suspended">Remove the ${suspended.length} of suspended authors for good</button>`}</p>
${ids("listed", found)}${ids("suspended", suspended)}<ul>${found.map(
      (post) =>
        html`<li>${tick(post.id, post.title)}${factsOf(post)}<p class="snippet" dir="auto">${oneLine(post.body, EXCERPT_CHARS)}</p></li>`,
    )}</ul>`,
  );
}

const tick = (id: string, name: string): Html =>
  html`<label class="check"><input type="checkbox" name="id" value="${id}"> ${bdi(name)}</label>`;

const warning = (text: string): Html => html`<span class="warning">${text}</span>`;

const facts = (all: readonly (Html | string | false)[]): Html =>
  html`<p class="facts">${all.map((fact) => (typeof fact === "string" ? fact !== "" && html`<span>${fact}</span>` : fact))}</p>`;

const factsOf = (post: SeenPost): Html =>
  facts([
    html`<a href="/operate/posts/${post.id}"><span class="id">${post.id}</span></a>`,
    post.kind,
    stateOf(post) !== "active" && warning(stateOf(post)),
    html`<a href="${href("/operate/posts", { publisher: post.publisher })}">${bdi(post.name ?? post.publisher)}</a>`,
    minute(post.created_at),
    post.edited_at !== null && `edited ${minute(post.edited_at)}`,
    ...post.flags.map(warning),
    post.reports.length > 0 && warning(reportsOf(post)),
  ]);

const actsOf = (acts: readonly SeenAct[]): Html =>
  html`<section class="panel"><h2>What was done</h2><ul>${acts.map(
    ({ at, action, subject, actor, reason }) =>
      html`<li>${minute(at)}: ${action} <span class="id">${subject}</span> by ${actor}: ${bdi(reason)}</li>`,
  )}</ul></section>`;
