import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Docs, RECORDED_ROOT } from "../../../src/adapters/reference/docs.ts";
import { startBoard } from "../boards/board.ts";
import { startWebhook } from "../clients/webhooks.ts";
import { EXAMPLE_IDS, runStory } from "./story.ts";

const run = promisify(execFile);
/** The day of every example. */
export const EXAMPLE_DAY = Date.parse("2026-11-20T09:00:00.000Z");

type Answers = Readonly<Record<string, { status: number; text: string }>>;

/**
 * Runs the command that `/docs` prints for each operation, on its own board.
 *
 * @returns status and shortened body of each answer, by the operation's name, sorted
 * @throws Error for a command that fails
 */
export async function recordAnswers(): Promise<Answers> {
  const webhook = await startWebhook();
  const board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => EXAMPLE_DAY });
  try {
    const { data } = (await (await fetch(`${board.url}/docs.json`)).json()) as { data: Docs };
    const curls = new Map(
      data.groups.flatMap((group) => group.operations.map(({ name, curl }) => [name, curl])),
    );
    const answers: [string, Answers[string]][] = [];
    await runStory(board, webhook, board.board.catalog.operations, async ({ name }, real, key) => {
      const { status, body } = await runCurl(real(curls.get(name) ?? ""), key);
      if (status >= 300)
        throw new Error(`the example of ${name} is answered with ${JSON.stringify(body.error)}`);
      const text = JSON.stringify(body)
        .replaceAll(board.url, RECORDED_ROOT)
        .replaceAll(webhook.url, RECEIVER);
      answers.push([name, { status, text: shortened(JSON.parse(withExampleIds(text)), 0) }]);
      return body.data;
    });
    return Object.fromEntries(answers.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    await board.stop();
    await webhook.stop();
  }
}

/** Runs a printed command in a shell. */
export async function runCurl(command: string, key: string) {
  const quiet = command.replace(/^curl /, "curl -s -w '\\n%{http_code}' ");
  const { stdout } = await run("bash", ["-c", quiet], { env: { ...process.env, BOARD_API_KEY: key } });
  const cut = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(cut + 1)), body: JSON.parse(stdout.slice(0, cut)) };
}

/** The module that holds answers: `src/adapters/reference/recorded-answers.ts`. */
export function answersModule(answers: Answers): string {
  const entries = Object.entries(answers).map(
    ([name, { status, text }]) =>
      `  ${name}: {\n    status: ${status},\n    text: '${text.replace(/[\\']/g, "\\$&")}',\n  },\n`,
  );
  return `/**
 * What the examples of the documentation answer: status, and the body shortened to a line. \`npm run manual\` records
 * it from a board; a test fails when a board answers otherwise.
 */
export const ANSWERS: Readonly<Record<string, { status: number; text: string }>> = {
${entries.join("")}};
`;
}

const RECEIVER = "https://agent.example/hook";

/** Puts back the ids of the examples, and one fixed value for whatever differs between runs. */
const withExampleIds = (json: string) =>
  json
    .replace(
      /"(url|id|post_id|parent_id|thread_url)":"([^"]*\/p\/)?(\w{10})(-\w{6})?"/g,
      (_whole, name, root = "", _id, reply) =>
        `"${name}":"${root}${EXAMPLE_IDS.post}${reply === undefined ? "" : "-a1B2c3"}"`,
    )
    .replace(/\bpub_\w{14}\b/g, EXAMPLE_IDS.publisher)
    .replace(/\bsub_\w{14}\b/g, EXAMPLE_IDS.subscription)
    .replace(/\brep_\w{14}\b/g, "rep_8hJk2MnP4qRs5T")
    .replace(/\bbbk_\w{38}\b/g, "bbk_…")
    .replace(/\bwhsec_[\w+/=]+/g, "whsec_…")
    .replace(/"latency_ms":\d+/g, '"latency_ms":84')
    .replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"…"');

const CHARS_MAX = 48;

/** JSON on one line. `…` replaces the inner parts, and the middle of long objects and lists. */
function shortened(value: unknown, depth: number): string {
  if (typeof value === "string")
    return JSON.stringify(
      value.length > CHARS_MAX && !value.startsWith("http") ? `${value.slice(0, CHARS_MAX - 1)}…` : value,
    );
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const inner = value.slice(0, 1).map((one) => shortened(one, depth));
    return `[${[...inner, ...(value.length > 1 ? ["…"] : [])].join(", ")}]`;
  }
  const entries = Object.entries(value).filter(([name]) => name !== "relevance");
  if (depth > 1 || (depth === 1 && "board" in value && "docs" in value))
    return entries.length === 0 ? "{}" : "{…}";
  const parts = entries.map(([name, one]) => `${JSON.stringify(name)}: ${shortened(one, depth + 1)}`);
  const shown = parts.length > 6 ? [...parts.slice(0, 3), "…", ...parts.slice(-2)] : parts;
  return `{${shown.join(", ")}}`;
}
