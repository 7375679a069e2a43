import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Docs } from "../../src/adapters/reference/docs.ts";
import {
  RECORDED_ROOT,
  type RecordedAnswer,
  shortened,
} from "../../src/adapters/reference/recorded-answers.ts";
import { startBoard } from "../../test/support/boards/board.ts";
import { startWebhook } from "../../test/support/clients/webhooks.ts";
import { EXAMPLE_IDS, runStory } from "./story.ts";

const run = promisify(execFile);
/** Every example is of this day. */
export const EXAMPLE_DAY = Date.parse("2026-11-20T09:00:00.000Z");

type Answers = Readonly<Record<string, RecordedAnswer>>;

/**
 * Runs the command that `/docs` prints for each operation, on its own board.
 *
 * @returns status and body of each answer, by the operation's name, sorted
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
      answers.push([name, { status, body: JSON.parse(withExampleIds(text), withShortLists) }]);
      return body.data;
    });
    return Object.fromEntries(answers.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    await board.stop();
    await webhook.stop();
  }
}

/** Answers as `/docs` prints them. */
export const told = (answers: Answers): string =>
  JSON.stringify(
    Object.entries(answers).map(([name, { status, body }]) => [name, status, shortened(body)]),
    null,
    1,
  );

/** Runs a printed command in a shell. */
async function runCurl(command: string, key: string) {
  const quiet = command.replace(/^curl /, "curl -s -w '\\n%{http_code}' ");
  const { stdout } = await run("bash", ["-c", quiet], { env: { ...process.env, BOARD_API_KEY: key } });
  const cut = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(cut + 1)), body: JSON.parse(stdout.slice(0, cut)) };
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
    .replace(/board-(?:verify|recover)=[^"]+|(?<="(?:token|recovery)":")[^"]+/g, "…")
    .replace(/"latency_ms":\d+/g, '"latency_ms":84')
    .replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"…"');

/** Cuts lists to the first two items; search results lose their relevance, which depends on the model. */
const withShortLists = (name: string, value: unknown) =>
  name === "relevance" ? undefined : Array.isArray(value) ? value.slice(0, 2) : value;
