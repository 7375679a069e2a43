import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE_DAY, recordAnswers, told } from "../../scripts/recorded/answers.ts";
import { STALE } from "../../scripts/recorded/catalog.ts";
import type { Docs } from "../../src/adapters/reference/docs.ts";
import { RECORDED_ROOT, shortened } from "../../src/adapters/reference/recorded-answers.ts";
import { FAILURES } from "../../src/board/failures.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { BUDGETS } from "../support/run/budgets.ts";
import { problemsOf } from "../support/texts/html.ts";

let docs: Docs;
/** All pages, by their path. */
let pages: Map<string, string>;

const board = useTestBoard({}, { clock: () => EXAMPLE_DAY });
beforeAll(async () => {
  docs = ((await (await fetch(`${board.url}/docs.json`)).json()) as { data: Docs }).data;
  const paths = ["/docs", ...docs.groups.map(({ id }) => `/docs/${id}`)];
  const texts = await Promise.all(paths.map(async (path) => (await fetch(board.url + path)).text()));
  pages = new Map(paths.map((path, at) => [path, texts[at] ?? ""]));
});

const operations = () => docs.groups.flatMap((group) => group.operations);

describe("/docs and its pages", () => {
  it("are at most 30 kB with eight tools, and 1.5 kB more with each further tool", () => {
    const bytes = BUDGETS.docsBytes(board.board.catalog.tools.length);
    for (const [path, page] of pages) {
      expect(Buffer.byteLength(page), path).toBeLessThan(bytes);
    }
  });

  it("are valid HTML", async () => {
    for (const [path, page] of pages) {
      expect(await problemsOf(page), path).toEqual([]);
      expect(page).not.toContain("undefined");
    }
  });

  it("describe every operation on one of them: its calls, its fields, a command, an answer, its failures", () => {
    const { catalog } = board.board;
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(catalog.operations.map(({ name }) => name).sort());
    const tools = catalog.tools.map((tool) => tool.name);
    for (const { name, auth, rest, input, failures } of catalog.operations) {
      const section = sectionOf(name);
      const marks = ["· needs a key", `· tool <code>${name}</code>`].map((mark) => section.includes(mark));
      expect([name, ...marks]).toEqual([name, auth === "key", tools.includes(name)]);
      const told = operations().find((each) => each.name === name)?.fields ?? [];
      for (const { name: field, required, place } of told)
        expect(section).toMatch(
          new RegExp(
            `<code>${field}</code>${required ? " \\*" : ""}</td><td>[^<]*${place === "path" ? "" : "(?<!, in the path)"}</td>`,
          ),
        );
      expect(section.match(/, in the path<\/td>/g)?.length ?? 0).toBe(
        told.filter(({ place }) => place === "path").length,
      );
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

  it("say what to do about every failure", () => {
    const page = pages.get("/docs/errors") ?? "";
    for (const [code, { status }] of Object.entries(FAILURES))
      expect(page).toContain(`<td>${status} <code>${code}</code></td>`);
    const where = (code: string) =>
      /<i>([^<]*)<\/i>/.exec(page.split(`<tr id="${code}">`)[1]?.split("</tr>")[0] ?? "")?.[1];
    expect(["rate_limited", "post_not_found"].map(where)).toEqual(["On every call.", undefined]);
  });

  it("begin with three calls, and name each chapter once, with its lists and what is bold", () => {
    const start = pages.get("/docs")?.split('<section id="start">')[1]?.split("</section>")[0] ?? "";
    expect([...start.matchAll(/aria-label="([^"]*)"/g)].map(([, title]) => title)).toEqual([
      ...["Search the board", "Register a publisher", "Write a post or a reply"],
    ]);
    expect(pages.get("/docs/search")).toContain("<h2>Searching</h2>");
    for (const { id, heading, about } of docs.groups) {
      expect(pages.get(`/docs/${id}`)).toContain(`<title>${heading}, documentation · Agent Board</title>`);
      expect(verbatim(pages.get(`/docs/${id}`) ?? "")).toContain(
        `<h1>${heading}</h1>\n<p class="lead">${about}</p>`,
      );
      expect(verbatim(pages.get("/docs") ?? "")).toContain(
        `<a href="/docs/${id}">${heading}</a></h2>\n<p>${about}</p>`,
      );
    }
    // A chapter that is its whole page has no other heading.
    expect(pages.get("/docs/webhooks")).not.toContain("Webhooks in detail</h2>");
    const searching = pages.get("/docs/search")?.split('id="searching"')[1]?.split("</section>")[0];
    expect(searching?.match(/<li>/g)).toHaveLength(8);
    expect(pages.get("/docs")).toContain("<b>Read <code>meta.note</code> whenever present</b>");
  });

  it("connect every client, with links that open Cursor and VS Code", () => {
    const page = pages.get("/docs");
    for (const { name } of docs.connect) expect(page).toContain(`<summary>${name}</summary>`);
    // The first stands open.
    expect(page?.match(/<details open>/g)).toHaveLength(1);
    expect(page).toContain(`<details open><summary>${docs.connect[0]?.name}</summary>`);
    const boxes = [...(page?.matchAll(/aria-label="for ([^"]*)"><code>([^<]*)</g) ?? [])];
    expect(
      boxes.map(([, label, text]) => [
        label,
        verbatim(text ?? "")
          .replaceAll("&quot;", '"')
          .replaceAll("&#39;", "'"),
      ]),
    ).toEqual(
      docs.connect.flatMap(({ name, snippet, withKey }) => [
        [name, snippet],
        ...(withKey === undefined ? [] : [[`${name}, with a key`, withKey]]),
      ]),
    );
    expect(page).toContain('href="https://cursor.com/install-mcp?name=board&amp;config=');
    expect(page).toContain('href="https://vscode.dev/redirect?url=vscode%3Amcp%2Finstall');
  });

  it("link only to places that exist, and each to all others", () => {
    const ids = new Map([...pages].map(([path, page]) => [path, new Set(idsOf(page))]));
    for (const [path, page] of pages) {
      const links = [...page.matchAll(/href="(\/docs[^"#.]*|)(?:#([^"]+))?"/g)];
      const broken = links.filter(([, to = "", place]) => {
        const there = ids.get(to === "" ? path : to);
        return there === undefined || (place !== undefined && place !== "main" && !there.has(place));
      });
      expect(
        broken.map(([link]) => link),
        path,
      ).toEqual([]);
      expect(page).toContain(`<a href="${path}" aria-current="page">`);
      const linked = new Set(links.map(([, to]) => to));
      expect([...pages.keys()].filter((other) => !linked.has(other))).toEqual([]);
      expect(idsOf(page)).toEqual([...new Set(idsOf(page))]);
    }
  });

  it("keep the places that links to /docs have named since it was one page", () => {
    const places = idsOf(pages.get("/docs") ?? "");
    const chapters = ["connect", "searching", "answers", "errors", "limits", "webhooks", "feeds"];
    const resources = ["posts", "publishers", "subscriptions", "board"];
    const names = operations().map(({ name }) => name);
    expect(places).toEqual(expect.arrayContaining([...chapters, ...resources, ...names]));
  });

  it("come as Markdown, each alone and all in one, and as JSON, and unknown ones are not found", async () => {
    const read = (path: string) => fetch(`${board.url}/docs${path}`);
    const whole = await (await read(".md")).text();
    for (const code of Object.keys(FAILURES)) expect(whole).toContain(`\`${code}\``);
    for (const { snippet, withKey = "" } of docs.connect)
      for (const text of [snippet, withKey]) expect(whole).toContain(text);
    for (const group of docs.groups) {
      const markdown = await (await read(`/${group.id}.md`)).text();
      for (const { title } of group.operations) expect(markdown).toContain(`### ${title}\n`);
      expect(await (await read(`/${group.id}.json`)).json()).toMatchObject({ data: group });
    }
    for (const path of ["/nothing", "/nothing.json"]) expect((await read(path)).status).toBe(404);
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
    const file = new URL("../../src/data/recorded-answers.json", import.meta.url);
    expect(told(JSON.parse(await readFile(file, "utf8"))), STALE).toEqual(told(answers));
    for (const [name, { status, body }] of Object.entries(answers)) {
      const printed = shortened(body).replaceAll(RECORDED_ROOT, board.url);
      expect(verbatim(sectionOf(name))).toContain(`${status}\n${printed}`);
    }
  });
});

/** The section of an operation, on the page of its group. */
function sectionOf(name: string): string {
  const group = docs.groups.find((each) => each.operations.some((operation) => operation.name === name));
  const page = pages.get(`/docs/${group?.id}`) ?? "";
  return page.split(`<section id="${name}">`)[1]?.split("</section>")[0] ?? "";
}

const idsOf = (page: string): string[] => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? "");

const verbatim = (html: string) => html.replaceAll("&lt;", "<").replaceAll("&amp;", "&");
