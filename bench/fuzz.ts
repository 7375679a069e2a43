/**
 * Does a board answer as its own OpenAPI document says, whatever it is sent? Requests are drawn from the schemas of
 * `/openapi.json`, valid and broken ones, and every answer is held against the document: no 5xx, a declared status, the
 * declared type, a body that the schema accepts, and no success for what breaks the schema. The same requests also go to
 * the surfaces beside it: tools over MCP, feeds, pages. The board runs in its own process, and its memory is told at each tenth of the way.
 *
 *   npx tsx bench/fuzz.ts [requests = 20000] [seed] [minutes at most] [the board's program = src/main.ts]
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { BoardProcess } from "../test/support/boards/board-process.ts";
import { consent, startWebhook } from "../test/support/clients/webhooks.ts";
import { type Described, type Draft, drafts } from "./fuzz/requests.ts";
import { onOtherSurface, surfaceProblem } from "./fuzz/surfaces.ts";
import type { Json } from "./fuzz/values.ts";
import { World } from "./fuzz/world.ts";
import { machine, residentMb } from "./support/measure.ts";

const FINDINGS_MAX = 20;
const FIXED = 10;
/** Operations that are sent to another surface too: the eight tools. */
const ON_OTHER_SURFACES = 8;
const TENTHS = 10;

export interface FuzzReport {
  requests: number;
  seconds: number;
  /** What was wrong, with the request as one line of curl. */
  findings: string[];
  /** Answers by operation and status. */
  statuses: Map<string, Map<number, number>>;
  /** MB of the board's process at each tenth of the way; empty when it shares the fuzzer's. */
  residentMb: number[];
}

/** A board that is fuzzed: it begins empty. */
export interface FuzzedBoard {
  url: string;
  api: string;
  /** MB of its process. */
  residentMb?: () => number;
  stop(): Promise<void>;
}

/**
 * Sends requests to a new board, one after another: the same seed sends the same requests.
 *
 * @param start  starts the board in the environment that the requests expect
 */
export async function fuzz(
  requests: number,
  seed: number,
  start: (environment: Record<string, string>) => Promise<FuzzedBoard>,
  minutes = Number.POSITIVE_INFINITY,
): Promise<FuzzReport> {
  const webhook = await startWebhook(() => ({}), consent);
  const board = await start({ WEBHOOK_ALLOW: "127.0.0.1", REPORTS_TO_HIDE: "2", LOG_LEVEL: "fatal" });
  try {
    const document = (await (await fetch(`${board.url}/openapi.json`)).json()) as Json;
    const operations = operationsOf(document);
    const check = checker(document);
    const world = new World(board.api, webhook.url);
    await world.settle();
    const report: FuzzReport = { requests: 0, seconds: 0, findings: [], statuses: new Map(), residentMb: [] };
    const began = performance.now();
    const isOver = () => performance.now() - began > minutes * 60_000;
    const several = operations.filter((one) => !isFixed(one));
    const share = Math.ceil(requests / (several.length + ON_OTHER_SURFACES));
    const series = operations.map((operation, i) => ({
      operation,
      drawn: fc.sample(drafts(operation), { seed: seed + i, numRuns: isFixed(operation) ? FIXED : share }),
    }));
    for (let round = 0; round < share && report.findings.length < FINDINGS_MAX && !isOver(); round += 1) {
      if (board.residentMb && report.requests >= (report.residentMb.length / TENTHS) * requests)
        report.residentMb.push(board.residentMb());
      for (const { operation, drawn } of series) {
        const draft = drawn[round];
        if (draft === undefined || report.requests >= requests) continue;
        await sendAndCheck(operation, draft, world, check, report);
        await sendElsewhere(operation, draft, world, board.url, round, report);
      }
    }
    if (board.residentMb) report.residentMb.push(board.residentMb());
    report.seconds = (performance.now() - began) / 1000;
    return report;
  } finally {
    await board.stop();
    await webhook.stop();
  }
}

/** It takes no input: a few requests tell everything. */
const isFixed = ({ method, parameters, open }: Described) =>
  method === "GET" && parameters.length === 0 && open;

async function sendAndCheck(
  operation: Described,
  draft: Draft,
  world: World,
  check: Checker,
  report: FuzzReport,
): Promise<void> {
  const { url, init } = world.requestOf(operation, draft);
  const response = await fetch(url, init);
  const text = await response.text();
  count(report, operation.id, response.status);
  const problem =
    check(operation, response, text) ??
    (draft.flaw !== null && response.ok ? `success in spite of: ${draft.flaw}` : null);
  if (problem !== null) report.findings.push(`${problem}\n  ${curlOf(url, init)}\n  ${text.slice(0, 600)}`);
  await world.learn(operation, draft, response, text);
  const cursor: unknown = response.ok && text.startsWith("{") ? (JSON.parse(text) as Json).next_cursor : null;
  // The page that an answer names must exist.
  if (typeof cursor === "string" && draft.query.every(([name]) => name !== "cursor")) {
    const next = { ...draft, query: [...draft.query, ["cursor", cursor] as const] };
    await sendAndCheck(operation, next, world, check, report);
  }
}

async function sendElsewhere(
  operation: Described,
  draft: Draft,
  world: World,
  site: string,
  round: number,
  report: FuzzReport,
): Promise<void> {
  const successes = (id: string) => report.statuses.get(id)?.get(200) ?? 0;
  const asked = onOtherSurface(operation, draft, world, { site, round, successes });
  if (asked === null) return;
  const response = await fetch(asked.url, asked.init);
  const text = await response.text();
  count(report, asked.id, response.status);
  const problem = surfaceProblem(asked, response, text);
  if (problem !== null)
    report.findings.push(
      `${problem}\n  ${curlOf(asked.url, { method: "GET", ...asked.init })}\n  ${text.slice(0, 600)}`,
    );
  await world.settle();
}

function count(report: FuzzReport, id: string, status: number): void {
  report.requests += 1;
  const counts = report.statuses.get(id) ?? new Map<number, number>();
  counts.set(status, (counts.get(status) ?? 0) + 1);
  report.statuses.set(id, counts);
}

type Checker = (operation: Described, response: Response, text: string) => string | null;

function checker(document: Json): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const compiled = new Map<Json, ValidateFunction>();
  const validatorOf = (schema: Json) => {
    const known = compiled.get(schema) ?? ajv.compile(resolved(schema, document));
    compiled.set(schema, known);
    return known;
  };
  return ({ id, responses }, response, text) => {
    const { status } = response;
    if (status >= 500) return `${id}: ${status}`;
    const declared = responses[String(status)];
    if (declared === undefined) return `${id}: undeclared status ${status}`;
    const type = response.headers.get("content-type");
    if (declared.content === undefined) return text === "" ? null : `${id}: ${status} has a body`;
    const media = declared.content[type?.split(";")[0] ?? ""];
    if (media === undefined) return `${id}: ${status} with undeclared type ${type}`;
    if (type?.startsWith("application/json") !== true) return null;
    const validate = validatorOf(media.schema);
    return validate(JSON.parse(text)) ? null : `${id}: ${status} ${ajv.errorsText(validate.errors)}`;
  };
}

function operationsOf(document: Json): Described[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    ["get", "post", "patch", "delete"].flatMap((method): Described[] => {
      const found = item[method];
      if (found === undefined) return [];
      const body = found.requestBody?.content["application/json"];
      return [
        {
          id: found.operationId,
          method: method.toUpperCase(),
          server: (item.servers ?? document.servers)[0].url,
          path,
          open: found.security.some((one: object) => Object.keys(one).length === 0),
          parameters: (found.parameters ?? []).map((each: Json) => ({
            ...each,
            required: each.required === true,
            schema: resolved(each.schema, document),
          })),
          body:
            body === undefined
              ? null
              : {
                  required: found.requestBody.required,
                  schema: resolved(body.schema, document),
                  examples: Object.values<Json>(body.examples ?? {}).map(({ value }) => value),
                },
          responses: Object.fromEntries(
            Object.entries<Json>(found.responses).map(([status, answer]) => [
              status,
              referred(answer, document),
            ]),
          ),
        },
      ];
    }),
  );
}

/** The schema with all references resolved. No schema of the document contains itself. */
function resolved(schema: Json, document: Json): Json {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, document));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest } =
    referred(schema, document) === schema ? { ...schema } : { ...referred(schema, document) };
  if ($ref !== undefined) return resolved({ $ref }, document);
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolved(value, document)]));
}

function referred(value: Json, document: Json): Json {
  if (typeof value?.$ref !== "string") return value;
  return value.$ref
    .slice(2)
    .split("/")
    .reduce((at: Json, step: string) => at[step], document);
}

function curlOf(url: string, { method, headers, body }: RequestInit): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = Object.entries(headers as Record<string, string>).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  const data = typeof body === "string" ? [`-d ${quoted(body.slice(0, 2000))}`] : [];
  return ["curl", "-X", String(method), quoted(url), ...lines, ...data].join(" ");
}

function inOwnProcess(main?: string) {
  return async (environment: Record<string, string>): Promise<FuzzedBoard> => {
    const folder = mkdtempSync(join(tmpdir(), "board-fuzz-"));
    const board = await BoardProcess.start({ DATA_DIR: folder, ...environment }, main);
    return {
      url: board.site,
      api: board.api,
      residentMb: () => residentMb(board.pid),
      async stop() {
        await board.kill("SIGTERM");
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
}

if (process.argv[1] === import.meta.filename) {
  const requests = Number(process.argv[2] ?? 20_000);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  console.log(`${requests} requests, seed ${seed}; ${machine()}`);
  const minutes = Number(process.argv[4] ?? Number.POSITIVE_INFINITY);
  const report = await fuzz(requests, seed, inOwnProcess(process.argv[5]), minutes);
  for (const [id, counts] of report.statuses) {
    const figures = [...counts].sort(([a], [b]) => a - b).map(([status, n]) => `${status}×${n}`);
    console.log(`${id.padEnd(22)} ${figures.join(" ")}`);
  }
  for (const finding of report.findings) console.log(`\n${finding}`);
  console.log(`resident: ${report.residentMb.map(Math.round).join(", ")} MB`);
  console.log(
    `${report.requests} answers in ${report.seconds.toFixed(0)} s, ${report.findings.length} findings`,
  );
  process.exitCode = report.findings.length === 0 ? 0 : 1;
}
