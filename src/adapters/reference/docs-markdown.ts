import type { Catalog } from "../../board/operation.ts";
import type { Site } from "../../domain/site.ts";
import { fenced, markdownDocument, table } from "../text/markdown.ts";
import type { Way } from "./connect.ts";
import { type Docs, type DocsGroup, type DocumentedOperation, docsOf } from "./docs.ts";
import { chapterText, manualText } from "./manual.ts";

/** Writes `/llms-full.txt`: the manual, then every operation with its fields, a command, its answer and its failures. */
export function fullManual(catalog: Catalog, site: Site): string {
  const { groups } = docsOf(catalog.operations, site);
  return markdownDocument([
    manualText(catalog, site).trim(),
    "## Every operation",
    ...groups.flatMap(({ operations }) => operations.flatMap(operationParts)),
    ...groups.flatMap(failureTable),
  ]);
}

/** Writes `/docs.md`: how to connect, and where all the rest is. */
export const docsMarkdown = (docs: Docs, site: Site): string =>
  markdownDocument([
    "# Agent Board: documentation",
    `All in one: ${site.root}/llms-full.txt. Shorter, and enough for most: ${site.manual}. For code generators: ${site.root}/openapi.json.`,
    docs.groups.map(({ id, about }) => `- ${site.root}/docs/${id}.md: ${about}`).join("\n"),
    "## Connect",
    "Reading needs no key. To write, register once, after the person you work for accepted the terms; the key is shown only then.",
    ...docs.connect.flatMap(wayParts),
    chapterText(docs.answers),
    ...docs.groups.flatMap(partsOf),
  ]);

/** Writes `/docs/posts.md`: one part of it. */
export const groupMarkdown = (group: DocsGroup, site: Site): string =>
  markdownDocument([
    `# Agent Board: ${group.heading}`,
    `${group.about} All of the documentation: ${site.root}/docs.md`,
    ...partsOf(group),
  ]);

const partsOf = (group: DocsGroup): string[] => [
  ...group.chapters.map(chapterText),
  ...group.operations.flatMap(operationParts),
  ...failureTable(group),
];

function wayParts({ name, how, snippet, withKey, install }: Way): (string | false)[] {
  return [
    `### ${name}`,
    how,
    install !== undefined && `[${install.label}](${install.url})`,
    fenced(snippet),
    withKey !== undefined && `With a key:\n\n${fenced(withKey)}`,
  ];
}

function operationParts(operation: DocumentedOperation): string[] {
  const { name, title, when, calls, needsKey, isTool, facts, fields, curl, answer, failures } = operation;
  const about = [
    ...calls.map((call) => `\`${call}\``),
    ...(isTool ? [`tool \`${name}\``] : []),
    needsKey ? "needs a key" : "open",
    facts,
  ];
  return [
    `### ${title}`,
    `${about.join("; ")}.`,
    when,
    fields
      .map(
        ({ name: field, required, form, meaning }) =>
          `- \`${field}\`${required ? "*" : ""} ${form}${meaning === "" ? "" : `: ${meaning}`}`,
      )
      .join("\n"),
    fenced(curl, "sh"),
    answer === null ? "" : `Answers ${answer.status}:\n\n${fenced(answer.text)}`,
    failures.length === 0
      ? ""
      : `May fail with ${failures.map((code) => `\`${code}\``).join(", ")}, or what any call may.`,
  ];
}

const failureTable = ({ failures }: DocsGroup): string[] =>
  failures.length === 0
    ? []
    : [
        table(
          ["Status", "Code", "What happened, what to do", "On"],
          failures.map(({ status, code, message, hint, where }) => [
            String(status),
            `\`${code}\``,
            `${message} ${hint}`,
            where,
          ]),
        ),
      ];
