import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  auth as newAuth,
} from "@modelcontextprotocol/client";
import { auth as oldAuth } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const CALLBACK = "http://127.0.0.1:9999/callback";
const WHO = { name: "Test host", version: "1.0.0" };

/** What a host remembers, as the OAuth provider of both SDKs. */
export function hostMemory() {
  const kept: Record<string, unknown> = {};
  return {
    kept,
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "Test host",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
    },
    // biome-ignore lint/suspicious/noExplicitAny: the two SDKs have types of their own for the same things
    clientInformation: (): any => kept["client"],
    saveClientInformation(client: unknown) {
      kept["client"] = client;
    },
    // biome-ignore lint/suspicious/noExplicitAny: as above
    tokens: (): any => kept["tokens"],
    saveTokens(tokens: unknown) {
      kept["tokens"] = tokens;
    },
    redirectToAuthorization(url: URL) {
      kept["url"] = url.href;
    },
    saveCodeVerifier(verifier: string) {
      kept["verifier"] = verifier;
    },
    codeVerifier: () => String(kept["verifier"]),
    invalidateCredentials: (scope: string) => {
      if (scope === "all" || scope === "tokens") delete kept["tokens"];
    },
  };
}
type HostMemory = ReturnType<typeof hostMemory>;

/** A host that signs in. */
export interface Host {
  /** Connects until a person must decide; resolves to the address that the person is sent to. */
  begin(url: string, keeps: HostMemory): Promise<string>;
  finish(url: string, keeps: HostMemory, answer: URL): Promise<void>;
  /** Calls a tool over a new connection. */
  call(url: string, keeps: HostMemory, name: string, args: Record<string, unknown>): Promise<string>;
}

type Sdk = {
  Client: typeof NewClient;
  Transport: typeof NewTransport;
  auth: typeof newAuth;
};

/** A host by an SDK: both have these under the same names. */
const hostBy = ({ Client, Transport, auth }: Sdk): Host => ({
  async begin(url, keeps) {
    const transport = new Transport(new URL(url), { authProvider: keeps });
    await new Client(WHO).connect(transport).catch(() => {});
    return String(keeps.kept["url"]);
  },
  async finish(url, keeps, answer) {
    const { code = "", iss = "" } = Object.fromEntries(answer.searchParams);
    await auth(keeps, { serverUrl: url, authorizationCode: code, iss } as never);
  },
  async call(url, keeps, name, args) {
    const client = new Client(WHO);
    await client.connect(new Transport(new URL(url), { authProvider: keeps }));
    const { content } = await client.callTool({ name, arguments: args });
    await client.close();
    return (content as { text: string }[]).map(({ text }) => text).join("\n");
  },
});

/** Hosts that use the official SDKs, of both major versions. */
export const HOSTS: Record<string, Host> = {
  "SDK 2.x": hostBy({ Client: NewClient, Transport: NewTransport, auth: newAuth }),
  "SDK 1.x": hostBy({ Client: OldClient, Transport: OldTransport, auth: oldAuth } as unknown as Sdk),
};
