import {
  Client,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  StreamableHTTPClientTransport,
  type Transport as Transport2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as OldTransport } from "@modelcontextprotocol/sdk/shared/transport.js";

/** The answer that any client gives a test. */
export interface ToolAnswer {
  text: string;
  /** Links to resources. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any link
  links: any[];
  /** Of the typed envelope, where the address gives one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any answer
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  meta: any;
  nextCursor: string | undefined;
  isError: boolean;
}

/** The part of every client that tests need. */
export interface TestClient {
  version(): string | undefined;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  // biome-ignore lint/suspicious/noExplicitAny: lists differ by client only in their types
  list(what: "tools" | "resources" | "prompts"): Promise<any[]>;
  read(uri: string): Promise<string>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Where a client connects: an address, or a command to start. */
export type Target =
  | { url: string; key?: string }
  | { command: string; args: string[]; env: Record<string, string>; cwd: string };

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, JsonSchemaValidator<unknown>>();
/** Compiles a schema once. Every client by itself compiles those of all tools after each list, which takes half a second. */
const validator: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType) {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? ajv.getValidator(schema);
    compiled.set(text, known);
    return known as JsonSchemaValidator<T>;
  },
};

const WHO = { name: "test", version: "1.0.0" };

/** A client of the current revision. */
export const mcpClient = (target: Target): Promise<TestClient> =>
  newClient(target, { mode: { pin: "2026-07-28" } });

/** Clients that a board serves: of the current revision, and of earlier ones, which have a handshake, by both SDKs. */
export const CLIENTS: Record<string, (target: Target) => Promise<TestClient>> = {
  "2026-07-28": mcpClient,
  "handshake of the new SDK": (target) => newClient(target, { mode: "legacy" }),
  "handshake of the old SDK": (target) => oldClient(target),
};

async function newClient(
  target: Target,
  versionNegotiation: { mode: "legacy" | { pin: "2026-07-28" } },
): Promise<TestClient> {
  const client = new Client(WHO, { versionNegotiation, jsonSchemaValidator: validator });
  await client.connect(newTransport(target));
  return testClient(client, () => client.getNegotiatedProtocolVersion());
}

async function oldClient(target: Target): Promise<TestClient> {
  const client = new OldClient(WHO, { jsonSchemaValidator: validator });
  await client.connect(oldTransport(target));
  return testClient(client as unknown as Client, () => undefined);
}

/** A client of either SDK: both have the methods that tests need. */
function testClient(client: Client, version: () => string | undefined): TestClient {
  return {
    version,
    call: async (name, args = {}) => answerOf(await client.callTool({ name, arguments: args })),
    list: async (what) => listOf(what, client),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    prompt: async (name, args) => promptOf(await client.getPrompt({ name, arguments: args })),
    close: () => client.close(),
  };
}

const headersOf = (target: { key?: string }): RequestInit =>
  target.key === undefined ? {} : { headers: { authorization: `Bearer ${target.key}` } };

function newTransport(target: Target): Transport2 {
  if ("url" in target) {
    return new StreamableHTTPClientTransport(new URL(target.url), { requestInit: headersOf(target) });
  }
  return new StdioClientTransport({ ...target, stderr: "ignore" });
}

function oldTransport(target: Target): OldTransport {
  const transport =
    "url" in target
      ? new OldHttpTransport(new URL(target.url), { requestInit: headersOf(target) })
      : new OldStdioTransport({ ...target, stderr: "ignore" });
  return transport as OldTransport;
}

async function listOf(what: "tools" | "resources" | "prompts", client: Client): Promise<unknown[]> {
  if (what === "tools") return (await client.listTools()).tools;
  return what === "resources"
    ? (await client.listResources()).resources
    : (await client.listPrompts()).prompts;
}

function answerOf(result: unknown): ToolAnswer {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text?: string }[];
    structuredContent?: { data?: unknown; meta?: unknown; next_cursor?: string | null };
    isError?: boolean;
  };
  return {
    text: content.flatMap((block) => block.text ?? []).join("\n"),
    links: content.filter(({ type }) => type === "resource_link"),
    data: structuredContent?.data,
    meta: structuredContent?.meta,
    nextCursor: structuredContent?.next_cursor ?? undefined,
    isError: isError === true,
  };
}

const textOf = (contents: readonly unknown[]) => String((contents[0] as { text?: unknown }).text);

function promptOf({ messages }: { messages: readonly { content: unknown }[] }): string {
  return String((messages[0]?.content as { text?: unknown } | undefined)?.text);
}

/** The id in the answer to a creation. */
export const idIn = (text: string): string => /^id: (\S+)$/m.exec(text)?.[1] ?? "";
