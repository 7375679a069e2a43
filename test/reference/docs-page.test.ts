import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { HtmlValidate } from "html-validate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Docs, RECORDED_ROOT } from "../../src/adapters/reference/docs.ts";
import { ANSWERS } from "../../src/adapters/reference/recorded-answers.ts";
import { FAILURES } from "../../src/failures.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { answersModule, EXAMPLE_DAY, recordAnswers, runCurl } from "../support/recorded/answers.ts";
import { STALE } from "../support/recorded/catalog.ts";
import { BUDGETS } from "../support/run/budgets.ts";

let board: TestBoard;
let docs: Docs;
let page: string;

beforeAll(async () => {
  board = await startBoard({}, { clock: () => EXAMPLE_DAY });
  page = await (await fetch(`${board.url}/docs`)).text();
  docs = ((await (await fetch(`${board.url}/docs.json`)).json()) as { data: Docs }).data;
});
afterAll(() => board.stop());

const operations = () => docs.groups.flatMap((group) => group.operations);

describe("/docs", () => {
  it("is at most 50 kB with eight tools, 1.5 kB more with each further tool, and 15 kB compressed", () => {
    expect(Buffer.byteLength(page)).toBeLessThan(BUDGETS.docsBytes(board.board.catalog.tools.length));
    expect(gzipSync(page).length).toBeLessThan(15_000);
  });

  it("is valid HTML", async () => {
    expect(await problemsOf(page)).toEqual([]);
    expect(page).not.toContain("undefined");
  });

  it("describes every operation: its calls, its fields, a command, an answer, its failures", () => {
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

  it("says what to do about every failure", () => {
    for (const [code, { status }] of Object.entries(FAILURES))
      expect(page).toContain(`<td>${status} <code>${code}</code></td>`);
  });

  it("connects every client, with links that open Cursor and VS Code", () => {
    for (const { name } of docs.connect) expect(page).toContain(`<summary>${name}</summary>`);
    expect(page).toContain('href="https://cursor.com/install-mcp?name=board&amp;config=');
    expect(page).toContain('href="https://vscode.dev/redirect?url=vscode%3Amcp%2Finstall');
  });

  it("links within itself only to places that exist", () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    expect(links.length).toBeGreaterThan(30);
  });

  it("says the same in Markdown", async () => {
    const markdown = await (await fetch(`${board.url}/docs.md`)).text();
    for (const { title, curl } of operations()) {
      expect(markdown).toContain(`### ${title}\n`);
      expect(markdown).toContain(curl);
    }
    for (const code of Object.keys(FAILURES)) expect(markdown).toContain(`\`${code}\``);
  });

  it("has client snippets whose commands run", async () => {
    const [curl] = docs.connect.filter(({ id }) => id === "curl");
    const { status, body } = await runCurl(curl?.snippet ?? "", "");
    expect([status, body.ok]).toEqual([200, true]);
  });
});

describe("the examples of /docs", () => {
  it("all run and answer as printed; otherwise run `npm run manual`", async () => {
    const answers = await recordAnswers();
    expect(Object.keys(answers)).toEqual(
      operations()
        .map(({ name }) => name)
        .sort(),
    );
    expect(ANSWERS, STALE).toEqual(answers);
    for (const [name, { status, text }] of Object.entries(answers)) {
      expect(verbatim(sectionOf(name))).toContain(`${status}\n${text.replaceAll(RECORDED_ROOT, board.url)}`);
    }
  });

  it("are recorded exactly as in the file", async () => {
    const file = new URL("../../src/adapters/reference/recorded-answers.ts", import.meta.url);
    expect(await readFile(file, "utf8"), STALE).toBe(answersModule(ANSWERS));
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
      new Date(EXAMPLE_DAY - i * 86_400_000).toISOString().slice(0, 10),
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
      const cells = [
        ...figure.matchAll(/<td><time datetime="([\d-]+)">[^<]*<\/time><\/td><td class="number">([\d,]+)</g),
      ];
      const printed = cells.map(([, day, value]) => [day, Number(value?.replaceAll(",", ""))]);
      expect(printed.reverse()).toEqual(data.series_30d.map((day) => [day["day"], day[chart]]));
    }
    expect(html).toContain('<a href="/search?q=piano">');
    expect(await problemsOf(html)).toEqual([]);
  });
});

/** Mistakes that a validator finds in a page. */
async function problemsOf(html: string): Promise<string[]> {
  const report = await new HtmlValidate({ extends: ["html-validate:recommended"] }).validateString(html);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId} ${message} ${selector}`),
  );
}

/** The section of an operation in the page. */
const sectionOf = (name: string) => page.split(`<section id="${name}">`)[1]?.split("</section>")[0] ?? "";

const verbatim = (html: string) => html.replaceAll("&lt;", "<").replaceAll("&amp;", "&");
