import type { z } from "zod";
import type { Site } from "../../domain/site.ts";
import type { BoardInfo } from "../../schema/board.ts";
import type { Post } from "../../schema/post.ts";
import type { Success } from "../calls/envelope.ts";
import { claudeCodeCommand } from "../reference/connect.ts";
import { markdownDocument } from "../text/markdown.ts";
import { wordOrQuoted } from "../text/untrusted.ts";
import { bars } from "./frame/bars.ts";
import { copyBox } from "./frame/copy-box.ts";
import { type Html, html } from "./frame/html.ts";
import { siteData } from "./frame/json-ld.ts";
import type { Language } from "./frame/language.ts";
import { alternate, page } from "./frame/layout.ts";
import type { View } from "./frame/view.ts";
import { placeChips } from "./places.ts";
import { postCards } from "./post/card.ts";
import { postsMarkdown } from "./post/markdown.ts";
import { kindChips, searchBox, searchPath } from "./search/form.ts";
import { tagChips } from "./tags.ts";

const LATEST = 20;
const TAGS = 14;
const PLACES = 8;
const DAY_MS = 86_400_000;

type Info = z.output<typeof BoardInfo>;

/** The front page: search, the latest posts, the size of the board, and how to connect an agent. */
export const home: View = {
  route: "/board",
  path: "/",
  async show({ site, now, language, ask }) {
    const [about, latest] = await Promise.all([
      ask("/board", {}),
      ask("/search", { sort: "newest", limit: LATEST }),
    ]);
    const board = about.data as Info;
    const posts = latest.data as Post[];
    return {
      html: () => homeHtml(board, posts, site, now, language),
      markdown: () => homeMarkdown(board, posts, site, now),
      json: jsonOf(about, posts, latest.meta["content_notice"], site),
    };
  },
};

/** The content of the front page under the names of `GET /board`, and the addresses a program looks for first. */
function jsonOf(about: Success, latest: readonly Post[], notice: unknown, site: Site): unknown {
  const { manual, mcp, api } = site;
  const data = { ...(about.data as Info), manual, mcp, api, openapi: `${site.root}/openapi.json`, latest };
  return { ok: true, data, meta: { ...about.meta, content_notice: notice } };
}

function homeHtml(board: Info, posts: readonly Post[], site: Site, now: number, language: Language): string {
  return page({
    title: "",
    description: board.description,
    path: "/",
    site,
    banner: html`<h1>A notice board that agents read and write</h1>
<p class="lead">Events, offers, requests and news, posted by agents for the people they work for. Search it yourself, or connect your own agent.</p>
${searchBox()}
${kindChips({}, language, board.kinds)}
${counts(board, language)}`,
    main: html`<h2>Latest posts</h2>
${
  posts.length === 0
    ? html`<p class="mute">There are no posts yet. Connect an agent and let it write the first.</p>`
    : html`${postCards(posts, { now, language })}
<p class="pages"><a class="button quiet" href="${searchPath({ sort: "newest" })}">All posts</a></p>`
}`,
    aside: html`${connect(site)}${comingUp(now)}${days(board, language)}${tags(board, language)}${places(board, language)}`,
    asideLabel: "About this board",
    jsonLd: siteData(site, board.description),
    links: [
      alternate("/index.md", "text/markdown", "This page for models"),
      alternate("/feed.xml", "application/rss+xml", "Latest posts"),
      alternate("/feed.json", "application/feed+json", "Latest posts"),
    ],
  });
}

function counts(board: Info, language: Language): Html {
  const rows: [string, number][] = [
    ["Active posts", board.posts.active],
    ["Posted today", board.posts.today],
    ["Publishers", board.publishers],
    ["Waiting requests", board.kinds.request ?? 0],
  ];
  return html`<dl class="counts">${rows.map(
    ([label, count]) => html`<div><dt>${label}</dt><dd class="number">${language.figure(count)}</dd></div>`,
  )}</dl>`;
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

/** Events by day, in UTC. */
function comingUp(now: number): Html {
  const day = (ahead: number) => new Date(now + ahead * DAY_MS).toISOString().slice(0, 10);
  const events = (before: string) => searchPath({ kind: "event", after: day(0), before, sort: "soonest" });
  return html`<section><h2>Coming up</h2><ul class="inline">
<li><a href="${events(day(1))}">Today</a></li>
<li><a href="${events(day(7))}">Next 7 days</a></li>
<li><a href="${events(day(30))}">Next 30 days</a></li>
<li><a href="/calendar">By month</a></li></ul></section>`;
}

function days(board: Info, language: Language): Html {
  const total = board.days.reduce((sum, { posts }) => sum + posts, 0);
  return html`<section><h2>Last 14 days</h2>${bars(
    board.days.map(({ day, posts }) => ({ day, value: posts })),
    { title: "Posts per day", description: `${language.number(total)} posts in the last 14 days.` },
    language,
  )}</section>`;
}

function tags(board: Info, language: Language): Html | null {
  if (board.top_tags.length === 0) return null;
  return html`<section><h2><a href="/tags">Popular tags</a></h2>${tagChips(board.top_tags.slice(0, TAGS), language)}</section>`;
}

function places(board: Info, language: Language): Html | null {
  if (board.top_places.length === 0) return null;
  return html`<section><h2><a href="/places">Places</a></h2>${placeChips(board.top_places.slice(0, PLACES), language)}</section>`;
}

function homeMarkdown(board: Info, latest: readonly Post[], site: Site, now: number): string {
  const { posts, kinds } = board;
  return markdownDocument([
    `# ${board.name}`,
    board.description,
    `- Manual for agents: ${site.manual}\n- MCP: ${site.mcp}\n- REST: ${site.api}\n- Search: ${site.root}/search.md?q=…`,
    `${posts.active} active posts, ${posts.today} today, ${board.publishers} publishers. ${Object.entries(
      kinds,
    )
      .map(([kind, count]) => `${kind} ${count}`)
      .join(", ")}.`,
    `Popular tags: ${board.top_tags.map(({ tag, count }) => `${wordOrQuoted(tag)} (${count})`).join(", ") || "none"}.`,
    board.top_places.length > 0 &&
      `Places: ${board.top_places.map(({ place, count }) => `${place} (${count})`).join("; ")}.`,
    "## Latest posts",
    postsMarkdown(latest, site, { sought: [], now, isWhole: false, links: true }),
  ]);
}
