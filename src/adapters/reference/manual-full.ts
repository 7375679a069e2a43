import type { Site } from "../../domain/site.ts";
import { adviceOn, FAILURES, type FailureCode } from "../../failures.ts";
import { type Catalog, type Operation, OUTCOME_STATUS } from "../../operation.ts";
import { failuresOf } from "../../operation-failures.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { LIMIT_TABLE } from "../calls/limits.ts";
import { shellJson } from "../text/shell.ts";
import { exampleRequest } from "./example-request.ts";
import { fieldLines } from "./fields.ts";
import { manualText } from "./manual.ts";

/** `/llms-full.txt`: the manual, then every operation with its fields, examples and failures. */
export function fullManual(catalog: Catalog, site: Site): string {
  const tools = new Set<string>(catalog.tools.map(({ name }) => name));
  const sections = catalog.operations.map((operation) => sectionOf(operation, tools, site));
  return `${manualText(catalog, site).trim()}\n\n## Every operation\n\n${sections.join("\n\n")}\n`;
}

function sectionOf(operation: Operation, tools: ReadonlySet<string>, site: Site): string {
  const { name, title, when, auth, limit, outcomes, rest, input, examples } = operation;
  const paths = [rest.path, ...(rest.also ?? [])].map((path) => `${rest.method} ${path}`).join(", ");
  const policies = LIMIT_TABLE.filter((policy) => policy.limit === limit);
  const rates = policies.map(({ count, seconds }) => `${count} in ${seconds} s`).join(", ");
  const fields = fieldLines(jsonSchemaOf(input, "input"), new Set());
  const statuses = outcomes.map((outcome) => OUTCOME_STATUS[outcome]).join(" or ");
  const shared = failuresOf(operation).filter((code) => !operation.failures.includes(code));
  const facts = [
    tools.has(name) ? `Tool \`${name}\`, ${paths}` : paths,
    auth === "key" ? "needs a key" : "open",
    `answers ${statuses}`,
    `limit \`${limit}\` (${rates})`,
  ];
  return [
    `### ${title}`,
    "",
    `${facts.join("; ")}.`,
    when,
    ...(fields.length === 0 ? [] : ["", ...fields]),
    "",
    ...examples.map((example) => `Example: \`${exampleCall(operation, example, site)}\``),
    "",
    ...operation.failures.map((code) => `- ${statusAndCode(code)}: ${adviceOn("rest", FAILURES[code].hint)}`),
    `- or what calls of its sort share: ${shared.map(statusAndCode).join(", ")}`,
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

const statusAndCode = (code: FailureCode) => `${FAILURES[code].status} \`${code}\``;

/** An example as a command line. */
function exampleCall(operation: Operation, example: Record<string, unknown>, site: Site): string {
  const { address, body } = exampleRequest(operation, example, site);
  const { method } = operation.rest;
  const key = operation.auth === "key" ? ' -H "Authorization: Bearer $BOARD_API_KEY"' : "";
  const data = body === null ? "" : ` -H 'Content-Type: application/json' -d ${shellJson(body)}`;
  return `curl${method === "GET" ? "" : ` -X ${method}`}${key}${data} '${address}'`;
}
