import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { Catalog } from "../../board/operation.ts";
import type { Site } from "../../domain/site.ts";
import { once } from "../../platform/once.ts";
import type { Credentials } from "../calls/dispatcher.ts";
import { skillsOf } from "../reference/skills.ts";
import { toolManual } from "../reference/tool-manual.ts";
import { understoodArguments } from "./arguments.ts";
import { type CallParts, callTool, type OpenDoor } from "./calls.ts";
import { POSTS } from "./results.ts";
import type { ServedTool } from "./tool-list.ts";

interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  read(from: Credentials): string | Promise<string>;
}

const POST_TEMPLATE = {
  uriTemplate: `${POSTS}{id}`,
  name: "post",
  title: "A post",
  description: "The whole post with its replies, as `get_post` gives it.",
  mimeType: "text/plain",
} as const;

/** It stands before texts that also name web addresses. */
const UNSERVED =
  "*Nothing answers at the web addresses below: this board is served over stdio only. Use the tools.*\n\n";

/**
 * Lists what clients may read besides calling tools. The manual and skills speak of every tool, so only all tools come with
 * them.
 * @param tools  those behind the door, by name
 */
export function resourcesOf(
  parts: CallParts & { catalog: Catalog },
  door: OpenDoor,
  tools: ReadonlyMap<string, ServedTool>,
) {
  const { catalog, site } = parts;
  /** Asks a tool as a call would. */
  const answerOf = async (name: string, input: Record<string, unknown>, from: Credentials) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`a resource speaks of "${name}", which is no tool`);
    const asData = { ...door, answers: "data" } as const;
    const answer = await callTool(parts, asData, tool, understoodArguments(tool, input), from);
    const [first] = answer.content;
    const text = first?.type === "text" ? first.text : "";
    if (answer.isError === true) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    return { text, data: (answer.structuredContent as { data?: unknown } | undefined)?.data };
  };
  const about: Resource = {
    uri: "board://about",
    name: "about",
    title: "About this board",
    description: "Size, kinds, top tags and limits of the board.",
    mimeType: "application/json",
    read: async (from) => JSON.stringify((await answerOf("about", {}, from)).data),
  };
  const resources = door.surface === "reading" ? [about] : [about, ...textsOf({ catalog, site, tools })];
  return {
    /** Answers `resources/list`. */
    listed: resources.map(({ read: _read, ...entry }) => entry),
    /** Answers `resources/templates/list`. */
    templates: [POST_TEMPLATE],
    /** @throws ProtocolError where there is nothing at the address, or with what a tool says of its failure */
    async read(uri: string, from: Credentials): Promise<ReadResourceResult> {
      if (uri.startsWith(POSTS)) {
        const { text } = await answerOf("get_post", { id: uri.slice(POSTS.length) }, from);
        return { contents: [{ uri, mimeType: POST_TEMPLATE.mimeType, text }] };
      }
      const resource = resources.find((each) => each.uri === uri);
      if (resource === undefined)
        throw new ResourceNotFoundError(uri, "No such resource. See resources/list.");
      return { contents: [{ uri, mimeType: resource.mimeType, text: await resource.read(from) }] };
    },
  };
}

interface TextParts {
  catalog: Catalog;
  site: Site;
  tools: ReadonlyMap<string, ServedTool>;
}

function textsOf({ catalog, site, tools }: TextParts): Resource[] {
  const listed = () =>
    [...tools.values()].map((tool) => ({
      ...tool.listed(),
      operations: tool.operations.map(({ operation }) => operation),
    }));
  const mimeType = "text/markdown";
  return [
    {
      uri: "board://manual",
      name: "manual",
      title: "Manual",
      description: "Every tool, argument, failure and limit on one page.",
      mimeType,
      read: once(() => (site.isServed ? "" : UNSERVED) + toolManual(listed(), site)),
    },
    {
      uri: "board://terms",
      name: "terms",
      title: "Terms",
      description: "What a publisher accepts with `accept_terms`.",
      mimeType,
      // The pages are worth loading only for whoever asks.
      read: once(async () => (await import("../pages/legal.ts")).termsText(site)),
    },
    ...skillsOf(catalog, site).map(({ name, description, text }) => ({
      uri: `skill://${name}/SKILL.md`,
      name,
      title: `Skill: ${name}`,
      description,
      mimeType,
      read: once(() => (site.isServed ? text : text.replace(/^(---\n.*?\n---\n\n)/s, `$1${UNSERVED}`))),
    })),
  ];
}
