import type { Site } from "../../domain/site.ts";
import { adviceOn, FAILURES, type FailureCode } from "../../failures.ts";
import type { Operation } from "../../operation.ts";
import { GENERAL_FAILURES, ROUTELESS_FAILURES } from "../../operation-failures.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { LIMIT_TABLE } from "../calls/limits.ts";
import { shellJson } from "../text/shell.ts";
import { ANSWERING, type Chapter, FEEDS, limitsChapter, SEARCHING, WEBHOOKS } from "./chapters.ts";
import { type Way, waysToConnect } from "./connect.ts";
import { exampleRequest } from "./example-request.ts";
import { fieldsOf, SPELLED_OUT } from "./fields.ts";
import { byPath } from "./openapi.ts";
import { ANSWERS } from "./recorded-answers.ts";

/** The content of `/docs` and the pages below it, whatever their form: HTML, Markdown or JSON. */
export interface Docs {
  connect: readonly Way[];
  /** What all answers have in common. */
  answers: Chapter;
  /** A page each. */
  groups: readonly DocsGroup[];
}

export interface DocsGroup {
  /** `posts` of `/docs/posts`. */
  id: string;
  heading: string;
  /** One sentence. */
  about: string;
  chapters: readonly Chapter[];
  operations: readonly DocumentedOperation[];
  /** On one page only. */
  failures: readonly DocumentedFailure[];
}

export interface DocumentedOperation {
  name: string;
  title: string;
  when: string;
  /** `GET /search`; several where a path has aliases. */
  calls: readonly string[];
  needsKey: boolean;
  /** It is also an MCP tool, under the same name. */
  isTool: boolean;
  fields: readonly DocumentedField[];
  /** Further fields, explained at an earlier operation of the page. */
  alike: readonly { of: string; names: readonly string[] }[];
  curl: string;
  /** Status and shortened body; null where none was recorded. */
  answer: { status: number; text: string } | null;
  /** Its own failures; shared ones are in the table. */
  failures: readonly FailureCode[];
}

interface DocumentedField {
  name: string;
  place: "path" | "query" | "body";
  required: boolean;
  /** Type, bounds and choices in a few words, such as `integer 1–100`. */
  form: string;
  /** May be empty. */
  meaning: string;
}

interface DocumentedFailure {
  code: FailureCode;
  status: number;
  message: string;
  hint: string;
  /** The calls that may fail with it; empty where each names it. */
  where: string;
}

/** The site of the recorded answers. */
export const RECORDED_ROOT = "http://localhost:8787";

const WEBHOOK_CALLS = /^\/subscriptions\/\{id\}\/(?:verify-webhook|test|rotate-secret|deliveries)\b/;

/** An operation belongs to the first group that holds its path. */
const GROUPS: readonly (Omit<DocsGroup, "operations" | "failures"> & {
  holds?: (path: string) => boolean;
})[] = [
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
    holds: (path) => /^\/publishers\b(?!\/me\/matches)/.test(path),
    chapters: [],
  },
  {
    id: "subscriptions",
    heading: "Subscriptions",
    about: "Save a query and hear of later matches, by polling, by waiting or by webhook.",
    holds: (path) => /^\/(subscriptions|publishers)\b/.test(path) && !WEBHOOK_CALLS.test(path),
    chapters: [],
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
    chapters: [limitsChapter(LIMIT_TABLE)],
  },
  {
    id: "errors",
    heading: "Errors",
    about: "Every code of a failure, what happened, and what to do.",
    chapters: [],
  },
];

/** The paths of all pages of the documentation. */
export const DOCS_PATHS: readonly string[] = ["/docs", ...GROUPS.map(({ id }) => docsPath(id))];

/** `/docs/posts`, or a place on it. */
export function docsPath(group: string, place?: string): string {
  return `/docs/${group}${place === undefined ? "" : `#${place}`}`;
}

/** The content of the documentation, derived from the operations. */
export function docsOf(operations: readonly Operation[], site: Site): Docs {
  const groupOf = ({ rest }: Operation) => GROUPS.find(({ holds }) => holds?.(rest.path) === true)?.id;
  return {
    connect: waysToConnect(site),
    answers: ANSWERING,
    groups: GROUPS.map(({ id, heading, about, chapters }) => {
      const own = readingOrder(operations.filter((each) => groupOf(each) === id));
      const explained: Explained = new Map();
      const failures = id === "errors" ? documentedFailures() : [];
      return {
        id,
        heading,
        about,
        chapters,
        operations: own.map((each) => documented(each, explained, site)),
        failures,
      };
    }),
  };
}

/** Tools first, since they are asked most; then by path. */
const readingOrder = (operations: readonly Operation[]) =>
  byPath(operations).sort((a, b) => Number("tool" in b) - Number("tool" in a));

/** The operation of the same page that explains a field, by the explanation. */
type Explained = Map<string, string>;

function documented(operation: Operation, explained: Explained, site: Site): DocumentedOperation {
  const { name, title, when, auth, rest, failures } = operation;
  const fields: DocumentedField[] = [];
  const alike = new Map<string, string[]>();
  for (const field of documentedFields(operation)) {
    const { required: _required, ...said } = field;
    const before = explained.get(JSON.stringify(said));
    if (before === undefined || (field.required && field.place !== "path")) fields.push(field);
    // An id in a path needs no explanation.
    else if (field.place !== "path") alike.set(before, [...(alike.get(before) ?? []), field.name]);
    if (before === undefined) explained.set(JSON.stringify(said), name);
  }
  const recorded = ANSWERS[name];
  return {
    name,
    title,
    when,
    calls: [rest.path, ...(rest.also ?? [])].map((path) => `${rest.method} ${path}`),
    needsKey: auth === "key",
    isTool: "tool" in operation,
    fields,
    alike: [...alike].map(([of, names]) => ({ of, names })),
    curl: curlOf(operation, site),
    answer:
      recorded === undefined
        ? null
        : { ...recorded, text: recorded.text.replaceAll(RECORDED_ROOT, site.root) },
    failures,
  };
}

/** The fields of an operation, in the order of its schema. */
function documentedFields({ input, rest }: Operation): DocumentedField[] {
  return fieldsOf(jsonSchemaOf(input, "input"), SPELLED_OUT)
    .filter(({ refused }) => !refused)
    .map(({ name, required, description, preset, type }) => ({
      name,
      place: rest.path.includes(`{${name}}`) ? "path" : rest.method === "GET" ? "query" : "body",
      required,
      form: type,
      meaning: `${description}${preset === undefined ? "" : ` Default ${preset}.`}`.trim(),
    }));
}

/** The first example of an operation as a command, with the key in `BOARD_API_KEY`. */
function curlOf(operation: Operation, site: Site): string {
  const { rest, auth, examples } = operation;
  const { address, body } = exampleRequest(operation, examples[0] ?? {}, site);
  const implied = rest.method === "GET" || (rest.method === "POST" && body !== null);
  return [
    `curl ${implied ? "" : `-X ${rest.method} `}'${address}'`,
    ...(auth === "key" ? ['-H "Authorization: Bearer $BOARD_API_KEY"'] : []),
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${quotedBody(body)}`]),
  ].join(" \\\n  ");
}

const ONE_LINE_CHARS = 90;

/** The body in single quotes for a shell; a long one has a line per field. */
function quotedBody(body: Record<string, unknown>): string {
  const line = shellJson(body);
  if (line.length <= ONE_LINE_CHARS) return line;
  const fields = Object.entries(body).map(([name, value]) => shellJson({ [name]: value }).slice(2, -2));
  return `'{\n    ${fields.join(",\n    ")}\n  }'`;
}

function documentedFailures(): DocumentedFailure[] {
  const general = [{ of: "unknown addresses", codes: ROUTELESS_FAILURES }, ...GENERAL_FAILURES];
  return (Object.keys(FAILURES) as FailureCode[]).map((code) => {
    const shared = general.filter(({ codes }) => codes.includes(code)).map(({ of }) => of);
    const { status, message, hint } = FAILURES[code];
    return { code, status, message, hint: adviceOn("rest", hint), where: shared.join(", ") };
  });
}
