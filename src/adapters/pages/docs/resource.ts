import type { Site } from "../../../domain/site.ts";
import { type Docs, type DocsGroup, type DocumentedOperation, docsPath } from "../../reference/docs.ts";
import { copyBox } from "../frame/copy-box.ts";
import { type Html, html } from "../frame/html.ts";
import { chapterHtml, told, verbatim } from "../frame/prose.ts";
import { guidePage } from "./guide.ts";

/** A page of the documentation: chapters and operations of one resource, or all failures. */
export function resourceHtml(group: DocsGroup, docs: Docs, site: Site): string {
  const { id, heading, about, chapters, operations, failures } = group;
  return guidePage({
    docs,
    site,
    title: `${heading}, documentation`,
    description: about,
    path: docsPath(id),
    main: html`<h1>${heading}</h1>
<p class="lead">${about}</p>
${operations.length > 1 && html`<nav aria-label="On this page"><ul>${operations.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li>`)}</ul></nav>`}
${chapters.map((chapter) => chapterHtml(chapter.id === id ? { ...chapter, heading: "" } : chapter))}
${operations.map((operation) => operationHtml(operation))}
${operations.length > 0 && html`<p class="small">* must be sent; … was left out; ids and names are examples. <a href="/docs#answers">What all answers have in common</a></p>`}
${failures.length > 0 && failureTable(failures)}`,
  });
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
