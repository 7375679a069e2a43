import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { HtmlValidate } from "html-validate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Docs, type DocumentedOperation, RECORDED_ROOT } from "../../src/adapters/reference/docs.ts";
import { ANSWERS } from "../../src/adapters/reference/recorded-answers.ts";
import { FAILURES } from "../../src/failures.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { startWebhook, type Webhook } from "../support/clients/webhooks.ts";
import { distinctText } from "../support/texts/texts.ts";

const run = promisify(execFile);
/** The day of every example. */
const NOW = Date.parse("2026-11-20T09:00:00.000Z");
const EXAMPLE = { post: "7fKm3Qx9Rt", pub: "pub_4yTq8WnZ2kPv6R", sub: "sub_4yTq8WnZ2kPv6R" };

let board: TestBoard;
let webhook: Webhook;
let docs: Docs;
let page: string;

beforeAll(async () => {
  webhook = await startWebhook();
  board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => NOW });
  page = await (await fetch(`${board.url}/docs`)).text();
  docs = ((await (await fetch(`${board.url}/docs.json`)).json()) as { data: Docs }).data;
});
afterAll(async () => {
  await board.stop();
  await webhook.stop();
});

const operations = () => docs.groups.flatMap((group) => group.operations);

describe("/docs", () => {
  it("is at most 50 kB, and 15 kB compressed", () => {
    expect(Buffer.byteLength(page)).toBeLessThan(50_000);
    expect(gzipSync(page).length).toBeLessThan(15_000);
  });

  it("is valid HTML", async () => {
    expect(await problemsOf(page)).toEqual([]);
  });

  it("tells of every operation: its calls, its fields, a command, an answer, its failures", () => {
    const { catalog } = board.board;
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(catalog.operations.map(({ name }) => name).sort());
    for (const { name, rest, input, failures } of catalog.operations) {
      const section = sectionOf(name);
      for (const path of [rest.path, ...(rest.also ?? [])])
        expect(section).toContain(`<code>${rest.method} ${path}</code>`);
      const fields = Object.keys(input.shape).filter((field) => !rest.path.includes(`{${field}}`));
      for (const field of fields) {
        const refused = name === "edit_post" && ["parent_id", "idempotency_key"].includes(field);
        expect([name, field, section.includes(`<code>${field}</code>`)]).toEqual([name, field, !refused]);
      }
      for (const code of failures) expect(section).toContain(`<code>${code}</code>`);
      expect(section).toContain("<code>curl ");
    }
  });

  it("tells of every failure what to do", () => {
    for (const [code, { status }] of Object.entries(FAILURES))
      expect(page).toContain(`<td>${status} <code>${code}</code></td>`);
  });

  it("connects every client, with links that open Cursor and VS Code", () => {
    for (const { name } of docs.connect) expect(page).toContain(`<summary>${name}</summary>`);
    expect(page).toContain('href="https://cursor.com/install-mcp?name=board&amp;config=');
    expect(page).toContain('href="https://vscode.dev/redirect?url=vscode%3Amcp%2Finstall');
  });

  it("links to places of its own that exist", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    expect(links.length).toBeGreaterThan(30);
  });

  it("says the same as Markdown", async () => {
    const markdown = await (await fetch(`${board.url}/docs.md`)).text();
    for (const { title, curl } of operations()) {
      expect(markdown).toContain(`### ${title}\n`);
      expect(markdown).toContain(curl);
    }
    for (const code of Object.keys(FAILURES)) expect(markdown).toContain(`\`${code}\``);
  });

  it("runs every command of client snippets that is one", async () => {
    const [curl] = docs.connect.filter(({ id }) => id === "curl");
    const { status, body } = await execute(curl?.snippet ?? "", "");
    expect([status, body.ok]).toEqual([200, true]);
  });
});

describe("the examples of /docs", () => {
  // One story, in which each call finds what it needs; then each answer is held against what the page prints.
  const recorded = new Map<string, { status: number; text: string }>();

  it("run, each of them", async () => {
    const tell = async (name: string, ids: { post?: string; pub?: string; sub?: string }, key = "") => {
      const { curl } = operations().find((each) => each.name === name) as DocumentedOperation;
      const command = curl
        .replaceAll(EXAMPLE.post, ids.post ?? EXAMPLE.post)
        .replaceAll(EXAMPLE.pub, ids.pub ?? EXAMPLE.pub)
        .replaceAll(EXAMPLE.sub, ids.sub ?? EXAMPLE.sub);
      const { status, body } = await execute(command, key);
      recorded.set(name, { status, text: shortened(exampleIds(body), 0) });
      return body.data;
    };

    await tell("register_publisher", {});
    // The story goes on with a publisher that has no domain, so that nothing is looked up in the DNS.
    const own = await register(board, "Bike Kitchen Amsterdam");
    const other = await register(board, "Ana's agent");
    const post = (await tell("create_post", {}, own.key)).id;
    await tell("search", {});
    await call(
      board,
      "POST /posts",
      { title: "We come", body: "With two bikes.", parent_id: post },
      { key: other.key },
    );
    for (const name of ["get_post", "list_replies"]) await tell(name, { post });
    await tell("report_post", { post });

    const sub = (await tell("subscribe", {}, own.key)).id;
    const read = () => call(board, `GET /subscriptions/${sub}`, undefined, { key: own.key });
    await call(board, `PATCH /subscriptions/${sub}`, { webhook_url: webhook.url }, { key: own.key });
    await eventually(read, ({ body }) => body.data.webhook_verified);
    for (let i = 0; i < 7; i += 1) {
      const offer = {
        title: `Road bike, ${i + 1} of 7`,
        body: distinctText(i).body,
        kind: "offer",
        location: { lat: 52.36, lng: 4.9 },
      };
      const { status } = await call(board, "POST /posts", offer, { key: other.key });
      expect(status).toBe(201);
    }
    await eventually(read, ({ body }) => body.data.pending === 7 && webhook.messages.length === 7);
    const deliveries = () => call(board, `GET /subscriptions/${sub}/deliveries`, undefined, { key: own.key });
    await eventually(deliveries, ({ body }) =>
      body.data.every((each: { state: string }) => each.state === "delivered"),
    );
    const reading = [
      "check_subscription",
      "read_subscription",
      "list_subscriptions",
      "list_deliveries",
      "read_inbox",
    ];
    const sending = ["redeliver", "test_webhook", "verify_webhook", "rotate_secret", "edit_subscription"];
    for (const name of [...reading, ...sending, "delete_subscription"]) await tell(name, { sub }, own.key);

    // Counters are written once a second.
    await eventually(
      () => call(board, "GET /metrics"),
      ({ body }) => Object.keys(body.data.registration_clients).length > 0,
    );
    for (const name of ["about", "read_metrics"]) await tell(name, {});
    await tell("read_publisher", { pub: own.id });
    for (const name of ["read_own_publisher", "verify_publisher"]) await tell(name, {}, own.key);
    for (const name of ["edit_post", "delete_post"]) await tell(name, { post }, own.key);
    const { api_key: key } = await tell("rotate_key", {}, own.key);
    await tell("erase_publisher", {}, key);
    expect(operations().filter(({ name }) => !recorded.has(name))).toEqual([]);
    if (process.env["WRITE_ANSWERS"] !== undefined) await writeAnswers(recorded);
  });

  it("answer as printed; otherwise run `WRITE_ANSWERS=1 npx vitest run test/reference/docs-page.test.ts`", () => {
    for (const [name, answer] of recorded) {
      expect([name, ANSWERS[name]]).toEqual([name, answer]);
      expect(verbatim(sectionOf(name))).toContain(
        `${answer.status}\n${answer.text.replaceAll(RECORDED_ROOT, board.url)}`,
      );
    }
    expect(Object.keys(ANSWERS).sort()).toEqual([...recorded.keys()].sort());
  });
});

describe.each(["/stats", "/terms", "/privacy"])("%s", (path) => {
  const read = async (suffix: string, accept?: string) => {
    const response = await fetch(
      board.url + path + suffix,
      accept === undefined ? {} : { headers: { accept } },
    );
    return {
      type: response.headers.get("content-type"),
      status: response.status,
      text: await response.text(),
    };
  };

  it("is a small page of valid HTML", async () => {
    const { status, type, text } = await read("");
    expect([status, type]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await problemsOf(text)).toEqual([]);
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    expect(gzipSync(text).length).toBeLessThan(15_000);
  });

  it("comes as JSON in the envelope, and as Markdown", async () => {
    for (const [suffix, accept] of [
      ["", "application/json"],
      [".json", undefined],
    ] as const) {
      const { type, text } = await read(suffix, accept);
      expect(type).toBe("application/json; charset=utf-8");
      expect(JSON.parse(text)).toMatchObject({ ok: true, data: {}, meta: { docs: `${board.url}/llms.txt` } });
    }
    for (const [suffix, accept] of [
      ["", "text/markdown"],
      [".md", undefined],
    ] as const) {
      const { type, text } = await read(suffix, accept);
      expect(type).toBe("text/markdown; charset=utf-8");
      expect(text).toMatch(/^# \w+\n\n/);
    }
  });
});

describe("/stats", () => {
  it("draws the metrics of 30 days: each chart has a title, a text and a table", async () => {
    const days = Array.from({ length: 30 }, (_, i) =>
      new Date(NOW - i * 86_400_000).toISOString().slice(0, 10),
    );
    const counters = days.flatMap((day, i) => [
      { day, name: "searches", n: 100 + i },
      { day, name: "registrations", n: i % 3 },
    ]);
    const word = { day: days[3] ?? "", name: "unmet:term:piano", n: 4 };
    await board.board.store.statistics.add([...counters, word]);
    const html = await (await fetch(`${board.url}/stats`)).text();
    const { data } = (await (await fetch(`${board.url}/stats.json`)).json()) as {
      data: { series_30d: Record<string, number>[] };
    };
    for (const chart of ["posts", "searches", "registrations"]) {
      const figure = html.split(`<h2 id="${chart}">`)[1]?.split("</section>")[0] ?? "";
      expect(figure).toContain(`<title id="${chart}-title">`);
      expect(figure).toContain(`<desc id="${chart}-desc">`);
      const cells = [...figure.matchAll(/<td>([\d-]+)<\/td><td class="number">([\d,]+)</g)];
      const printed = cells.map(([, day, value]) => [day, Number(value?.replaceAll(",", ""))]);
      expect(printed.reverse()).toEqual(data.series_30d.map((day) => [day["day"], day[chart]]));
    }
    expect(html).toContain('<a href="/search?q=piano">');
    expect(await problemsOf(html)).toEqual([]);
  });
});

/** What a validator finds wrong in a page. */
async function problemsOf(html: string): Promise<string[]> {
  const report = await new HtmlValidate({ extends: ["html-validate:recommended"] }).validateString(html);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId} ${message} ${selector}`),
  );
}

/** The section of an operation in the page. */
const sectionOf = (name: string) =>
  page.split(`<section class="panel" id="${name}">`)[1]?.split("</section>")[0] ?? "";

const verbatim = (html: string) => html.replaceAll("&lt;", "<").replaceAll("&amp;", "&");

/** Runs a printed command in a shell. */
async function execute(command: string, key: string) {
  const quiet = command.replace(/^curl /, "curl -s -w '\\n%{http_code}' ");
  const { stdout } = await run("bash", ["-c", quiet], { env: { ...process.env, BOARD_API_KEY: key } });
  const cut = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(cut + 1)), body: JSON.parse(stdout.slice(0, cut)) };
}

/** Every id as the examples have it, and what differs from run to run. */
function exampleIds(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(board.url, RECORDED_ROOT)
    .replaceAll(webhook.url, "https://agent.example/hook")
    .replace(
      /"(url|id|post_id|parent_id|thread_url)":"([^"]*\/p\/)?(\w{10})(-\w{6})?"/g,
      (_whole, name, root = "", _id, reply) =>
        `"${name}":"${root}${EXAMPLE.post}${reply === undefined ? "" : "-a1B2c3"}"`,
    )
    .replace(/\bpub_\w{14}\b/g, EXAMPLE.pub)
    .replace(/\bsub_\w{14}\b/g, EXAMPLE.sub)
    .replace(/\brep_\w{14}\b/g, "rep_8hJk2MnP4qRs5T")
    .replace(/\bbbk_\w{38}\b/g, "bbk_…")
    .replace(/\bwhsec_[\w+/=]+/g, "whsec_…")
    .replace(/"latency_ms":\d+/g, '"latency_ms":84')
    .replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"…"');
  return JSON.parse(text);
}

const CHARS_MAX = 48;

/** JSON on one line with `…` for what is left out: the inner parts, and of long objects and lists the middle. */
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

async function writeAnswers(answers: ReadonlyMap<string, { status: number; text: string }>): Promise<void> {
  const lines = [...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { status, text }]) =>
        `  ${name}: {\n    status: ${status},\n    text: ${JSON.stringify(text).replace(/^"|"$/g, "'").replaceAll('\\"', '"')},\n  },`,
    );
  const text = `/**
 * What the examples of the documentation answer: status, and the body shortened to a line. Recorded from a board by
 * \`WRITE_ANSWERS=1 npx vitest run test/reference/docs-page.test.ts\`; the same test fails when a board answers otherwise.
 */
export const ANSWERS: Readonly<Record<string, { status: number; text: string }>> = {
${lines.join("\n")}
};
`;
  await writeFile(new URL("../../src/adapters/reference/recorded-answers.ts", import.meta.url), text);
}
