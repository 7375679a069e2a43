import { BoardError } from "../../board/failures.ts";
import type { Operation } from "../../board/operation.ts";
import type { Site } from "../../domain/site.ts";
import type { Way } from "../reference/connect.ts";
import { type Docs, type DocsGroup, type DocumentedOperation, docsOf, docsPath } from "../reference/docs.ts";
import { docsMarkdown, groupMarkdown } from "../reference/docs-markdown.ts";
import { copyBox, type Html, html } from "./frame/html.ts";
import { chapterHtml, told, verbatim } from "./frame/prose.ts";
import { boardPage, type View } from "./frame/view.ts";

/** Shows `/docs` and a page for each resource, derived from the operations. They change only with the program. */
export function docsViews(operations: readonly Operation[], site: Site): View[] {
  let made: Docs | undefined;
  const docsMade = () => {
    made ??= docsOf(operations, site);
    return made;
  };
  return [
    boardPage("/docs", () => {
      const docs = docsMade();
      return {
        path: "/docs",
        title: "Documentation",
        lead: "Connect an agent to this board, and every call with its parameters, an example and its answer.",
        main: () => guide(docs, "/docs", overviewHtml(docs)),
        markdown: () => docsMarkdown(docs, site),
        data: docs,
      };
    }),
    boardPage("/docs/:page", ({ params }) => {
      const docs = docsMade();
      const id = params["page"]?.replace(/\.(md|json)$/, "");
      const group = docs.groups.find((each) => each.id === id);
      if (group === undefined) throw new BoardError("not_found");
      const path = docsPath(group.id);
      return {
        path,
        title: `${group.heading}, documentation`,
        lead: group.about,
        main: () => guide(docs, path, groupHtml(group)),
        markdown: () => groupMarkdown(group, site),
        data: group,
      };
    }),
  ];
}

/** Shows a page with the navigation of all of them beside it, above it on small screens. */
function guide({ groups }: Docs, path: string, main: Html): Html {
  const item = (to: string, words: string) =>
    html`<li><a href="${to}"${path === to && html` aria-current="page"`}>${words}</a></li>
`;
  return html`<div class="guide"><nav aria-label="Documentation"><ul>${item("/docs", "Overview")}${groups.map(({ id, heading }) => item(docsPath(id), heading))}</ul></nav>
<div class="docs">${main}</div></div>`;
}

/** The quick start has these operations. */
const FIRST_CALLS = ["search", "register_publisher", "create_post"];

/** Shows how to connect, the first calls, and what each page below holds. */
function overviewHtml(docs: Docs): Html {
  return html`<h1>Documentation</h1>
<p class="lead">Made from the program itself. Models have a shorter <a href="/llms.txt">manual</a>, or <a href="/docs.md">all of this as one text</a>; code generators have <a href="/openapi.json">OpenAPI</a>.</p>
<section id="connect"><h2>Connect</h2>
<p>Reading needs no key. To write, let your agent register once, after the person it works for accepted the <a href="/terms">terms</a>; the key is shown only then. The tools also take it as argument <code>api_key</code>, where a client cannot send headers.</p>
${docs.connect.map(wayHtml)}</section>
${firstCalls(docs)}
${chapterHtml(docs.answers)}
${docs.groups.map(groupSummary)}`;
}

function wayHtml({ name, how, snippet: text, withKey, install }: Way, at: number): Html {
  return html`<details${at === 0 && html` open`}><summary>${name}</summary>
<p>${how}</p>
${install !== undefined && html`<p><a class="button quiet" href="${install.url}" rel="noreferrer">${install.label}</a></p>`}
${copyBox(`for ${name}`, verbatim(text))}
${withKey !== undefined && html`<p>With a key:</p>${copyBox(`for ${name}, with a key`, verbatim(withKey))}`}</details>
`;
}

function firstCalls({ groups }: Docs): Html {
  const operations = groups.flatMap((group) => group.operations);
  const first = FIRST_CALLS.flatMap((name) => operations.filter((each) => each.name === name));
  return html`<section id="start"><h2>First calls</h2>
<p>Search, register, post. <code>$BOARD_API_KEY</code> is the key that registering answers.</p>
${first.map(({ title, curl }) => copyBox(title, verbatim(curl)))}</section>`;
}

/** Shows a page in short. Its places were on this page once, and old links still find them. */
function groupSummary({ id, heading, about, chapters, operations }: DocsGroup): Html {
  const place = (name: string) => name !== id && html` id="${name}"`;
  return html`<section id="${id}"><h2><a href="${docsPath(id)}">${heading}</a></h2>
<p>${about}</p>
<ul class="calls">${chapters.map(
    (chapter) =>
      chapter.id !== id &&
      html`<li${place(chapter.id)}><a href="${docsPath(id, chapter.id)}">${chapter.heading}</a></li>
`,
  )}${operations.map(
    ({ name, title, calls }) =>
      html`<li${place(name)}><a href="${docsPath(id, name)}">${title}</a> <code>${calls[0]}</code></li>
`,
  )}</ul></section>
`;
}

/** Shows chapters and operations of one resource, or all failures. */
function groupHtml({ id, heading, about, chapters, operations, failures }: DocsGroup): Html {
  return html`<h1>${heading}</h1>
<p class="lead">${about}</p>
${operations.length > 1 && html`<nav aria-label="On this page"><ul>${operations.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li>`)}</ul></nav>`}
${chapters.map((chapter) => chapterHtml(chapter.id === id ? { ...chapter, heading: "" } : chapter))}
${operations.map((operation) => operationHtml(operation))}
${operations.length > 0 && html`<p class="small">* must be sent; … was left out; ids and names are examples. <a href="/docs#answers">What all answers have in common</a></p>`}
${failures.length > 0 && failureTable(failures)}`;
}

function operationHtml(operation: DocumentedOperation): Html {
  const { name, title, when, calls, needsKey, isTool, fields, curl, answer, failures } = operation;
  return html`<section id="${name}"><h2>${title}</h2>
<p>${calls.map((call) => html`<code>${call}</code> `)}${isTool && html`· tool <code>${name}</code> `}${needsKey && "· needs a key"}</p>
<p>${told(when)}</p>
${
  fields.length > 0 &&
  html`<table><tbody>${fields.map(
    ({ name: field, required, form, meaning, place }) =>
      html`<tr><td><code>${field}</code>${required && " *"}</td><td>${form}${place === "path" && ", in the path"}</td><td>${told(meaning)}</td></tr>
`,
  )}</tbody></table>`
}
${copyBox(title, verbatim(curl))}
${answer !== null && html`<pre>${answer.status}\n${verbatim(answer.text)}</pre>`}
${failures.length > 0 && html`<p class="small">Fails with ${listed(failures)}; see <a href="/docs/errors">errors</a>.</p>`}</section>
`;
}

const failureTable = (failures: DocsGroup["failures"]): Html => html`<section>
<p>Those without a word on where are named at their calls. Try again only after 429 and 503, when the seconds in <code>Retry-After</code> have passed.</p>
<table><thead><tr><th>Code</th><th>What happened, what to do</th></tr></thead><tbody>${failures.map(
  ({ code, status, message, hint, where }) =>
    html`<tr id="${code}"><td>${status} <code>${code}</code></td><td>${told(`${message} ${hint}`)}${where !== "" && html` <i>On ${where}.</i>`}</td></tr>
`,
)}</tbody></table></section>`;

const listed = (names: readonly string[]) =>
  names.map((name, i) => html`${i > 0 && ", "}<code>${name}</code>`);
