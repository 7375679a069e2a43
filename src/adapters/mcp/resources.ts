import { ProtocolError, ProtocolErrorCode, type ReadResourceResult } from "@modelcontextprotocol/server";
import type { Site } from "../../domain/site.ts";
import { adviceOn, type Surface } from "../../failures.ts";
import type { Catalog, Operation } from "../../operation.ts";
import type { Credentials, Dispatcher } from "../calls/dispatcher.ts";
import { manualText } from "../reference/manual.ts";
import { skillsOf } from "../reference/skills.ts";
import { understoodArguments } from "./arguments.ts";
import { type CallParts, callTool, type OpenDoor } from "./calls.ts";
import type { ServedTool } from "./tool-list.ts";

type Opening = Dispatcher | Promise<Dispatcher>;

interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  read(from: Credentials): string | Promise<string>;
}

/** What `check_subscription` answers, as a resource that clients may listen to. */
const MATCHES = {
  title: "New matches",
  description:
    "New matches of your saved queries, after the last `next_cursor`, by your key. `subscriptions/listen` tells of more.",
  mimeType: "text/plain",
} as const;
const MATCHES_URI = "board://subscriptions";

/** Addresses of matches: of all the caller's subscriptions, or of one. */
export const MATCHES_TEMPLATES = [
  { uriTemplate: `${MATCHES_URI}{?cursor}`, name: "matches", ...MATCHES },
  { uriTemplate: `${MATCHES_URI}/{id}{?cursor}`, name: "matches_of_one", ...MATCHES },
];

/** The arguments that an address of matches stands for; null for any other address. */
export function matchesAt(uri: string): { id?: string; cursor?: string } | null {
  const [whole, id, cursor] = /^board:\/\/subscriptions(?:\/(\w+))?(?:\?cursor=([^&#]+))?$/.exec(uri) ?? [];
  if (whole === undefined) return null;
  return { ...(id === undefined ? {} : { id }), ...(cursor === undefined ? {} : { cursor }) };
}

/** Reads new matches as the tool would; they are the caller's own, so no client may keep them for others. */
export async function readMatches(
  parts: CallParts,
  door: OpenDoor,
  tool: ServedTool,
  { uri, ...input }: { uri: string; id?: string; cursor?: string },
  from: Credentials,
): Promise<ReadResourceResult> {
  const understood = understoodArguments(tool, input);
  const { content, isError } = await callTool(parts, { ...door, answers: "text" }, tool, understood, from);
  const [first] = content;
  const text = first?.type === "text" ? first.text : "";
  if (isError === true) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
  return { contents: [{ uri, mimeType: MATCHES.mimeType, text }], ttlMs: 0, cacheScope: "private" };
}

/** Before texts that also name web addresses. */
const UNSERVED =
  "*Nothing answers at the web addresses below: this board is served over stdio only. Use the tools.*\n\n";

/** What clients may read besides calling tools. The manual and skills speak of every tool, so only all tools come with them. */
export function resourcesOf(
  { catalog, dispatcher, site }: { catalog: Catalog; dispatcher: Opening; site: Site },
  surface: Surface,
): Resource[] {
  const about = catalog.tools.find(({ name }) => name === "about");
  const board = about === undefined ? [] : [boardResource(about, dispatcher)];
  if (surface === "reading") return board;
  const here = site.isServed ? "" : UNSERVED;
  const manual = () => here + manualText(catalog, site);
  return [
    ...board,
    {
      uri: "board://manual",
      name: "manual",
      title: "Manual",
      description: "Every tool, field, failure and limit of the board on one page.",
      mimeType: "text/markdown",
      read: manual,
    },
    {
      uri: "board://terms",
      name: "terms",
      title: "Terms",
      description: "What a publisher accepts with `accept_terms`.",
      mimeType: "text/markdown",
      // The pages are worth loading only for whoever asks.
      read: async () => (await import("../pages/legal.ts")).termsText(site),
    },
    ...skillsOf(catalog, site).map(({ name, description, text }) => ({
      uri: `skill://${name}/SKILL.md`,
      name,
      title: `Skill: ${name}`,
      description,
      mimeType: "text/markdown",
      read: () => (site.isServed ? text : text.replace(/^(---\n.*?\n---\n\n)/s, `$1${UNSERVED}`)),
    })),
  ];
}

function boardResource(about: Operation & { title: string }, dispatcher: Opening): Resource {
  return {
    uri: "board://about",
    name: "about",
    title: about.title,
    description: "Size, kinds, top tags and limits of the board.",
    mimeType: "application/json",
    read: (from) => dataOf(about, from, dispatcher),
  };
}

/** The data that an operation answers without input, as JSON. */
async function dataOf(operation: Operation, from: Credentials, opening: Opening): Promise<string> {
  const dispatcher = await opening;
  try {
    const { data } = await dispatcher.ask(operation, await dispatcher.admit(operation, from), {});
    return JSON.stringify(data);
  } catch (thrown) {
    const { error } = dispatcher.fail(thrown, null);
    const hint = adviceOn(from.surface ?? "rest", error.hint);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.code}: ${error.message} ${hint}`);
  }
}
