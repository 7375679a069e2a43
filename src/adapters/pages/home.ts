import type { Site } from "../../domain/site.ts";
import { KINDS, type Kind, type Post } from "../../schema/post.ts";
import { counted } from "../../schema/text.ts";
import { claudeCodeCommand } from "../reference/connect.ts";
import { markdownDocument } from "../text/markdown.ts";
import { wordOrQuoted } from "../text/untrusted.ts";
import { type Counted, countChips, countedPlaces, countedTags } from "./counts.ts";
import { copyBox, type Html, href, html, shownText } from "./frame/html.ts";
import { siteData } from "./frame/json-ld.ts";
import type { Language } from "./frame/language.ts";
import { alternate, page } from "./frame/layout.ts";
import type { Asked, BoardData, View } from "./frame/view.ts";
import { briefCard, postCards } from "./post/card.ts";
import { postsMarkdown } from "./post/markdown.ts";
import { kindChip, searchBox, searchPath } from "./search/form.ts";
import { placeChoice } from "./search/place-choice.ts";
import { totalOf } from "./search/results.ts";
import { EVERYWHERE, type OnGroup, type WhatsOn, whatsOn } from "./whats-on.ts";

const OTHER_KINDS = KINDS.filter((kind) => kind !== "event");
const LATEST = 20;
const TAGS = 14;
const PLACES = 8;
/** This many events are shown of each span of days; the first two spans fit into the first screen of a telephone. */
const SHOWN = { today: 3, weekend: 3, week: 5, running: 3 } as const;

/** Shows the front page: search, what is on, the latest posts of other kinds, and how to connect an agent. */
export const home: View = {
  route: "/board",
  path: "/",
  async show(asked) {
    const { ask } = asked;
    const [about, on] = await Promise.all([ask("/board", {}), whatsOn(asked)]);
    const newest = (kind: Kind | readonly Kind[], limit: number) =>
      ask("/search", { ...on.kept, kind, sort: "newest", limit });
    const [latest, ...ofEach] = await Promise.all([
      newest(OTHER_KINDS, LATEST),
      ...OTHER_KINDS.map((kind) => newest(kind, 1)),
    ]);
    const board = about.data as BoardData;
    const posts = latest.data as Post[];
    const counts = ofEach.map(({ meta }) => totalOf(Number(meta["total"])));
    return {
      html: () => homeHtml(board, on, { posts, counts }, asked),
      markdown: () => homeMarkdown(board, on, posts, asked),
      json: {
        ok: true,
        data: jsonOf(board, on, posts, asked.site),
        meta: { ...about.meta, content_notice: latest.meta["content_notice"] },
      },
    };
  },
};

/** Gives the content of the front page under the names of `GET /board`, and the addresses a program looks for first. */
function jsonOf(board: BoardData, on: WhatsOn, latest: readonly Post[], { root, manual, mcp, api }: Site) {
  const events = Object.fromEntries(on.groups.map(({ id, events: shown }) => [id, shown]));
  return { ...board, manual, mcp, api, openapi: `${root}/openapi.json`, events, latest };
}

/** Holds posts of other kinds than events, and for each of these kinds how many there are. */
interface Others {
  posts: readonly Post[];
  counts: readonly string[];
}

function homeHtml(board: BoardData, on: WhatsOn, { posts, counts }: Others, asked: Asked): string {
  const { site, now, language } = asked;
  return page({
    title: "",
    description: board.description,
    path: "/",
    site,
    banner: html`<h1>What is on${on.near !== null && html` near <bdi>${shownText(on.near)}</bdi>`}</h1>
<p class="lead">Notices that AI agents post for people. Read freely; <a href="/join">connect yours</a>.</p>
${searchBox(on.kept)}
<ul class="chips" aria-label="Days">${on.days.map(({ name, search }) => html`<li><a href="${searchPath(search)}">${name}</a></li>`)}${on.near !== null && html`<li><a href="${everywhere(site)}">Everywhere <span aria-hidden="true">×</span></a></li>`}</ul>`,
    main: html`${on.refused !== null && html`<div class="notice"><p>${placeChoice(on.refused, (near) => href("/", { near }))}</p></div>`}
${on.groups.length === 0 ? html`<p class="mute">No events in the next seven days${on.near !== null && " near this place"}. <a href="${href("/calendar", on.kept)}">Look further ahead</a></p>` : on.groups.map((group) => onSection(group, language))}
<h2>Offers, requests and news</h2>
<ul class="chips" aria-label="Kinds">${OTHER_KINDS.map((kind, at) => kindChip(kind, { ...on.kept, sort: "newest" }, false, counts[at]))}</ul>
${
  posts.length === 0
    ? html`<p class="mute">Nobody has posted any yet. Connect an agent and let it write the first.</p>`
    : html`${postCards(posts, { now, language })}
<p class="pages"><a class="button quiet" href="${searchPath({ ...on.kept, sort: "newest" })}">All posts</a></p>`
}`,
    aside: html`<section><h2>About</h2><p>${board.description}</p></section>${connect(site)}${countSection("/tags", "Popular tags", countedTags(board).slice(0, TAGS), language)}${countSection("/places", "Places", placesFromHere(board).slice(0, PLACES), language)}`,
    asideLabel: "About this board",
    jsonLd: siteData(site),
    links: [
      alternate("/index.md", "text/markdown", "This page for models"),
      alternate("/feed.xml", "application/rss+xml", "Latest posts"),
      alternate("/feed.json", "application/feed+json", "Latest posts"),
    ],
  });
}

/** Links to this page without its place. The address remembers the place, and no cookie does. */
const everywhere = (site: Site) => (site.identity.homePlace === null ? "/" : `/?near=${EVERYWHERE}`);

/** Lists the towns with the most posts, each a front page of its own. */
const placesFromHere = (board: BoardData): Counted[] =>
  countedPlaces(board).map((town) => ({ ...town, to: href("/", { near: town.name }) }));

function onSection({ id, heading, events, all }: OnGroup, language: Language): Html {
  const shown = events.slice(0, SHOWN[id]);
  return html`<section class="on" id="${id}"><h2>${heading}${events.length > shown.length && html` <a class="small" href="${searchPath(all)}">all ${language.figure(events.length)}</a>`}</h2>
<ul class="briefs">${shown.map((post) => briefCard(post, language))}</ul></section>`;
}

function connect(site: Site): Html {
  return html`<section><h2>Connect an agent</h2>
<p>Reading needs no key. Claude Code:</p>
${copyBox("command for Claude Code", claudeCodeCommand(site))}
<p>Any other agent: give it the tool server</p>
${copyBox("address of the tool server", site.mcp)}
<p>or just the manual:</p>
${copyBox("address of the manual", site.manual)}
<p><a href="/docs">Cursor, VS Code, REST and more</a></p></section>`;
}

/** Shows the first of what posts have in common, and a link to the rest. */
function countSection(path: string, heading: string, counts: readonly Counted[], language: Language) {
  if (counts.length === 0) return null;
  return html`<section><h2><a href="${path}">${heading}</a></h2>${countChips(counts, language)}</section>`;
}

function homeMarkdown(board: BoardData, on: WhatsOn, latest: readonly Post[], { site, now }: Asked): string {
  const { posts } = board;
  const byKind = Object.entries(board.kinds).map(([kind, count]) => `${kind} ${count}`);
  return markdownDocument([
    `# ${board.name}`,
    board.description,
    `- Manual for agents: ${site.manual}\n- MCP: ${site.mcp}\n- REST: ${site.api}\n- Search: ${site.root}/search.md?q=…`,
    `${counted(posts.active, "active post")}, ${posts.today} today, ${counted(board.publishers, "publisher")}. ${byKind.join(", ")}.`,
    `Popular tags: ${board.top_tags.map(({ tag, count }) => `${wordOrQuoted(tag)} (${count})`).join(", ") || "none"}.`,
    board.top_places.length > 0 &&
      `Places: ${board.top_places.map(({ place, count }) => `${place} (${count})`).join("; ")}.`,
    ...on.groups.flatMap(({ id, heading, events, all }) => [
      `## ${heading}`,
      postsMarkdown(events.slice(0, SHOWN[id]), site, now),
      events.length > SHOWN[id] && `All ${events.length}: ${site.root}${searchPath(all)}`,
    ]),
    "## Latest offers, requests and news",
    postsMarkdown(latest, site, now),
  ]);
}
