import type { Site } from "../../../domain/site.ts";
import { BoardError } from "../../../failures.ts";
import type { Operation } from "../../../operation.ts";
import { type Docs, docsOf } from "../../reference/docs.ts";
import { docsMarkdown, groupMarkdown } from "../../reference/docs-markdown.ts";
import type { View } from "../frame/view.ts";
import { overviewHtml } from "./overview.ts";
import { resourceHtml } from "./resource.ts";

/** `/docs` and a page for each resource, derived from the operations. They change only with the program, and are built once. */
export function docsViews(operations: readonly Operation[]): View[] {
  const site = new Map<Site, Docs>();
  const texts = new Map<string, string>();
  const docsFor = (at: Site): Docs => {
    const docs = site.get(at) ?? docsOf(operations, at);
    site.set(at, docs);
    return docs;
  };
  /** A text made once. */
  const once = (at: Site, name: string, make: () => string) => () => {
    const key = `${at.root} ${name}`;
    const text = texts.get(key) ?? make();
    texts.set(key, text);
    return text;
  };
  return [
    {
      route: "/board",
      path: "/docs",
      async show({ site: at, ask }) {
        const docs = docsFor(at);
        const { meta } = await ask("/board", {});
        return {
          html: once(at, "/docs", () => overviewHtml(docs, at)),
          markdown: once(at, "/docs.md", () => docsMarkdown(docs, at)),
          json: { ok: true, data: docs, meta },
        };
      },
    },
    {
      route: "/board",
      path: "/docs/:page",
      async show({ site: at, params, ask }) {
        const docs = docsFor(at);
        const id = params["page"]?.replace(/\.(md|json)$/, "");
        const group = docs.groups.find((each) => each.id === id);
        if (group === undefined) throw new BoardError("not_found");
        const { meta } = await ask("/board", {});
        return {
          html: once(at, group.id, () => resourceHtml(group, docs, at)),
          markdown: once(at, `${group.id}.md`, () => groupMarkdown(group, at)),
          json: { ok: true, data: group, meta },
        };
      },
    },
  ];
}
