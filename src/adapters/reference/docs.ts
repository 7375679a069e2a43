import { adviceOn, FAILURES, type FailureCode } from "../../board/failures.ts";
import { type Operation, OUTCOME_STATUS } from "../../board/operation.ts";
import { GENERAL_FAILURES, ROUTELESS_FAILURES } from "../../board/operation-failures.ts";
import type { Site } from "../../domain/site.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { LIMIT_TABLE } from "../calls/limits.ts";
import { shellJson } from "../text/untrusted.ts";
import { type Chapter, FEEDS, limitsChapter, SEARCHING, STANDING_QUERIES, WEBHOOKS } from "./chapters.ts";
import { waysToConnect } from "./connect.ts";
import { fieldsOf, SPELLED_OUT } from "./fields.ts";
import { answersChapter } from "./manual.ts";
import { byPath } from "./openapi.ts";
import { recordedAnswer, shortened } from "./recorded-answers.ts";

/** Holds the content of `/docs` and the pages below it, whatever their form: HTML, Markdown or JSON. */
export type Docs = ReturnType<typeof docsOf>;
/** A page of it has chapters, operations, and on one page only all failures. */
export type DocsGroup = Docs["groups"][number];
export type DocumentedOperation = ReturnType<typeof documented>;

const WEBHOOK_CALLS = /^\/subscriptions\/\{id\}\/(?:verify-webhook|test|rotate-secret|deliveries)\b/;

/** An operation belongs to the first group that holds its path. */
const GROUPS: readonly {
  /** The page `/docs/posts` has the id `posts`. */
  id: string;
  heading: string;
  /** One sentence says what the page is about. */
  about: string;
  chapters: readonly Chapter[];
  holds?: (path: string) => boolean;
}[] = [
  {
    id: "search",
    heading: "Search",
    about: "Find posts by words, meaning, place and time.",
    holds: (path) => /^\/search\b/.test(path),
    chapters: [SEARCHING],
  },
  {
    id: "posts",
    heading: "Posts",
    about: "Write, read, edit and remove posts, reply to them, report them.",
    holds: (path) => /^\/(posts|reports)\b/.test(path),
    chapters: [],
  },
  {
    id: "publishers",
    heading: "Publishers",
    about: "Register, prove a domain, read the replies to your posts, leave.",
    holds: (path) => /^\/publishers\b/.test(path),
    chapters: [],
  },
  {
    id: "subscriptions",
    heading: "Subscriptions",
    about: "Save a query and hear of later matches, by polling, by waiting or by webhook.",
    holds: (path) => /^\/subscriptions\b/.test(path) && !WEBHOOK_CALLS.test(path),
    chapters: [STANDING_QUERIES],
  },
  {
    id: "webhooks",
    heading: "Webhooks",
    about: "Have matches pushed to an address of yours: consent, signatures, retries.",
    holds: (path) => WEBHOOK_CALLS.test(path),
    chapters: [WEBHOOKS],
  },
  {
    id: "board",
    heading: "The board",
    about: "What there is on it, and how it is doing.",
    holds: () => true,
    chapters: [],
  },
  {
    id: "feeds",
    heading: "Feeds and other forms",
    about: "RSS, Atom, JSON Feed and calendars of any search; pages as Markdown and JSON.",
    chapters: [FEEDS],
  },
  {
    id: "limits",
    heading: "Limits",
    about: "How much one caller may ask, and how large things may be.",
    chapters: [limitsChapter()],
  },
  {
    id: "errors",
    heading: "Errors",
    about: "Every code of a failure, what happened, and what to do.",
    chapters: [],
  },
];

/** Lists the paths of all pages of the documentation. */
export const DOCS_PATHS: readonly string[] = ["/docs", ...GROUPS.map(({ id }) => docsPath(id))];

/** Gives `/docs/posts`, or a place on it. */
export function docsPath(group: string, place?: string): string {
  return `/docs/${group}${place === undefined ? "" : `#${place}`}`;
}

/** Derives the content of the documentation from the operations. */
export function docsOf(operations: readonly Operation[], site: Site) {
  const groupOf = ({ rest }: Operation) => GROUPS.find(({ holds }) => holds?.(rest.path) === true)?.id;
  return {
    connect: waysToConnect(site),
    answers: answersChapter(operations),
    groups: GROUPS.map(({ id, heading, about, chapters }) => ({
      ...{ id, heading, about, chapters },
      operations: readingOrder(operations.filter((each) => groupOf(each) === id)).map((each) =>
        documented(each, site),
      ),
      failures: id === "errors" ? documentedFailures() : [],
    })),
  };
}

/** Tools come first, since they are asked most; then it goes by path. */
const readingOrder = (operations: readonly Operation[]) =>
  byPath(operations).sort((a, b) => Number("tool" in b) - Number("tool" in a));

function documented(operation: Operation, site: Site) {
  const { name, title, when, auth, rest, limit, outcomes, failures } = operation;
  const recorded = recordedAnswer(name, site);
  const policies = LIMIT_TABLE.filter((policy) => policy.limit === limit);
  const rates = policies.map(({ count, seconds }) => `${count} in ${seconds} s`).join(", ");
  return {
    ...{ name, title, when, failures },
    /** It reads `GET /search`; several where a path has aliases. */
    calls: [rest.path, ...(rest.also ?? [])].map((path) => `${rest.method} ${path}`),
    needsKey: auth === "key",
    /** True when the operation is also an MCP tool, under the same name. */
    isTool: "tool" in operation,
    /** Tells what it answers and how often it may be asked. */
    facts: `answers ${outcomes.map((outcome) => OUTCOME_STATUS[outcome]).join(" or ")}, limit \`${limit}\` (${rates})`,
    fields: documentedFields(operation),
    curl: curlOf(operation, site),
    /** Has status and shortened body; null where none was recorded. */
    answer: recorded === undefined ? null : { status: recorded.status, text: shortened(recorded.body) },
  };
}

/** Lists the fields of an operation, in the order of its schema. */
function documentedFields({ input, rest }: Operation) {
  return fieldsOf(jsonSchemaOf(input, "input"), SPELLED_OUT)
    .filter(({ refused }) => !refused)
    .map(({ name, required, description, preset, type }) => ({
      name,
      place: rest.path.includes(`{${name}}`) ? "path" : rest.method === "GET" ? "query" : "body",
      required,
      /** Tells type, bounds and choices in a few words, such as `integer 1–100`. */
      form: type,
      /** It may be empty. */
      meaning:
        `${description}${preset === undefined || /default/i.test(description) ? "" : ` Default ${preset}.`}`.trim(),
    }));
}

function documentedFailures() {
  const general = [{ of: "unknown addresses", codes: ROUTELESS_FAILURES }, ...GENERAL_FAILURES];
  return (Object.keys(FAILURES) as FailureCode[]).map((code) => {
    const shared = general.filter(({ codes }) => codes.includes(code)).map(({ of }) => of);
    const { status, message, hint } = FAILURES[code];
    // A failure that calls name themselves belongs to no group.
    return { code, status, message, hint: adviceOn("rest", hint), where: shared.join(", ") };
  });
}

/** Writes the first example of an operation as a command, with the key in `BOARD_API_KEY`. */
function curlOf({ rest, auth, examples }: Operation, site: Site): string {
  const example: Readonly<Record<string, unknown>> = examples[0] ?? {};
  const fields = Object.entries(example).filter(([name]) => !rest.path.includes(`{${name}}`));
  const path = rest.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(example[name])),
  );
  const isGet = rest.method === "GET";
  const query = new URLSearchParams(
    isGet ? fields.map(([name, value]): [string, string] => [name, String(value)]) : [],
  );
  const hasBody = !isGet && fields.length > 0;
  const implied = isGet || (rest.method === "POST" && hasBody);
  return [
    `curl ${implied ? "" : `-X ${rest.method} `}'${site.api}${path}${query.size === 0 ? "" : `?${query}`}'`,
    ...(auth === "key" ? ['-H "Authorization: Bearer $BOARD_API_KEY"'] : []),
    ...(hasBody
      ? ["-H 'Content-Type: application/json'", `-d ${quotedBody(Object.fromEntries(fields))}`]
      : []),
  ].join(" \\\n  ");
}

const ONE_LINE_CHARS = 90;

/** Writes the body in single quotes for a shell; a long one has a line per field. */
function quotedBody(body: Record<string, unknown>): string {
  const line = shellJson(body);
  if (line.length <= ONE_LINE_CHARS) return line;
  const fields = Object.entries(body).map(([name, value]) => shellJson({ [name]: value }).slice(2, -2));
  return `'{\n    ${fields.join(",\n    ")}\n  }'`;
}
