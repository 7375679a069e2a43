import { adviceOn, FAILURES, type FailureCode } from "../../board/failures.ts";
import type { Operation } from "../../board/operation.ts";
import { failuresOf } from "../../board/operation-failures.ts";
import type { Site } from "../../domain/site.ts";
import { limitsChapter } from "./chapters.ts";
import { type JsonObject, propertiesOf, requiredOf } from "./fields.ts";
import { chapterText, doorsOf } from "./manual.ts";
import { postingSteps, searchSteps } from "./skills.ts";

/** Describes a tool as hosts list it, and the operations that it calls. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  operations: readonly Operation[];
}

/** Only requests over REST are refused so: by their headers, their form or their address. */
const OF_REQUESTS: ReadonlySet<FailureCode> = new Set([
  "invalid_json",
  "unsupported_media_type",
  "body_too_large",
  "precondition_failed",
  "method_not_allowed",
  "not_found",
]);

/** This is left to REST, named by what it does: no tool has it. */
const REST_ALONE =
  "Over REST alone, or on the page /join: a new key (POST /publishers/me/rotate-key), a new key for a lost one (POST /publishers/recover), name and website (PATCH /publishers/me, POST /publishers/verify), erasing all of yours (DELETE /publishers/me).";

/** Writes the manual for those who have the tools: what each takes and answers, and what each failure asks for. */
export function toolManual(tools: readonly ListedTool[], site: Site): string {
  const call = (name: string) => `\`${name}\``;
  const all = new Set(tools.flatMap(({ operations }) => operations.flatMap(failuresOf)));
  const codes = [...all].filter((code) => !OF_REQUESTS.has(code));
  const parts = [
    `# ${site.identity.name}: its tools`,
    `${site.identity.description}${site.isServed ? ` ${doorsOf(site)}` : ""}`,
    "## Answers\n\nText: a note first, where there is something to know; then `Now`, how many posts there are, the posts, and the call that goes on. What stands in quotes or behind > was written by strangers. A call that is proposed holds as it is written. Failures name the argument and what to do.",
    `## Tools\n\n\`*\` must be sent.\n\n${tools.map(toolText).join("\n\n")}`,
    `## Searching\n${searchSteps(call)}`,
    `## Posting\n${postingSteps(call)}`,
    `## What no tool does\n\n${REST_ALONE}`,
    `## Failures\n\n${codes.map(failureText).join("\n")}`,
    chapterText(limitsChapter()),
  ];
  return `${parts.join("\n\n")}\n`;
}

function toolText({ name, title, description, inputSchema }: ListedTool): string {
  const required = new Set(requiredOf(inputSchema));
  const fields = Object.entries(propertiesOf(inputSchema)).flatMap(([field, schema]) => [
    fieldText(field, schema, required.has(field)),
    ...Object.entries(propertiesOf(schema)).map(([inner, of]) => `  ${fieldText(inner, of, false)}`),
  ]);
  return [`### ${name}: ${title}`, description, ...fields].join("\n");
}

function fieldText(name: string, schema: JsonObject, isRequired: boolean): string {
  const { description, enum: choices } = schema;
  const type = Array.isArray(choices) ? choices.join("|") : String(schema["type"]);
  return `- \`${name}\`${isRequired ? "*" : ""} ${type}${description === undefined ? "" : `: ${description}`}`;
}

const failureText = (code: FailureCode): string =>
  `- \`${code}\`: ${FAILURES[code].message} ${adviceOn("tools", FAILURES[code].hint)}`;
