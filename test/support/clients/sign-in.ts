import { createHash, randomBytes } from "node:crypto";

/** A browser without a screen: it keeps cookies by their path, and follows no redirect by itself. */
export class CookieBrowser {
  readonly cookies: { name: string; value: string; path: string }[] = [];

  async open(url: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
    const { pathname } = new URL(url);
    const sent = this.cookies.filter(
      ({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, "/")),
    );
    const response = await fetch(url, {
      method: form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        accept: "text/html",
        cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; "),
        ...headers,
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get("location"),
      text: await response.text(),
    };
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const name = pair.slice(0, pair.indexOf("="));
    const value = pair.slice(name.length + 1);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? "/";
    const at = this.cookies.findIndex((each) => each.name === name && each.path === path);
    if (at >= 0) this.cookies.splice(at, 1);
    if (value !== "") this.cookies.push({ name, value, path });
  }
}

/** The fields of the form with this `do` on a page. */
export function fieldsOf(page: string, action: string): Record<string, string> {
  const form = page.match(/<form[\s\S]*?<\/form>/g)?.find((each) => each.includes(`value="${action}"`)) ?? "";
  const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
}

/** The text of a page, without markup. */
export const wordsOf = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** Where a page of the board leads back to a host. */
export function backTo(page: string): URL {
  const [, address = ""] = /<a href="([^"]*)"[^>]*>go back to the host/.exec(page) ?? [];
  return new URL(address.replaceAll("&amp;", "&"));
}

/** The page where a person decides, as the browser that began sees it. */
export async function consentPage(start: string, browser = new CookieBrowser()) {
  const { location } = await browser.open(start);
  const url = new URL(location ?? "", start).href;
  return { browser, url, page: await browser.open(url) };
}

/** Goes to the consent page and decides there, as a person does; resolves to the address that gives the host its answer. */
export async function decide(
  start: string,
  decision: { key: string } | { name: string } | "deny",
  browser = new CookieBrowser(),
): Promise<URL> {
  const { url: consent, page } = await consentPage(start, browser);
  let { text } = page;
  let action = "deny";
  let filled: Record<string, string> = {};
  if (decision !== "deny") {
    action = "allow";
    if ("name" in decision) {
      const made = { ...fieldsOf(text, "register"), name: decision.name, accept_terms: "yes" };
      ({ text } = await browser.open(consent, made));
    } else filled = { api_key: decision.key };
  }
  const decided = await browser.open(consent, { ...fieldsOf(text, action), ...filled });
  if (decided.location === null) throw new Error(`${decided.status} ${decided.text}`);
  const last = await browser.open(new URL(decided.location, start).href);
  if (last.status !== 200) throw new Error(`${last.status} ${last.text}`);
  return backTo(last.text);
}

/** A proof key and its challenge. */
function proofKey() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** A host that makes each request of a sign-in by hand, so that it can make wrong ones. */
export class RawHost {
  readonly #board: { url: string };
  readonly clientId: string;
  readonly redirectUri: string;
  readonly proof = proofKey();

  constructor(board: { url: string }, clientId: string, redirectUri: string) {
    this.#board = board;
    this.clientId = clientId;
    this.redirectUri = redirectUri;
  }

  static async register(
    board: { url: string },
    metadata: Record<string, unknown> = { client_name: "Raw host", redirect_uris: [CALLBACK] },
  ): Promise<RawHost> {
    const { status, body } = await post(
      `${board.url}/oauth/register`,
      JSON.stringify(metadata),
      "application/json",
    );
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return new RawHost(board, body.client_id, body.redirect_uris[0]);
  }

  /** The address that a person is sent to. A change to null leaves the parameter out. */
  start(changes: Record<string, string | null> = {}): string {
    const parameters: Record<string, string | null> = {
      response_type: "code",
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      code_challenge: this.proof.challenge,
      code_challenge_method: "S256",
      scope: "board",
      state: "s",
      resource: `${this.#board.url}/mcp/me`,
      ...changes,
    };
    const kept = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
    return `${this.#board.url}/oauth/authorize?${new URLSearchParams(kept)}`;
  }

  /** Changes a code for tokens. */
  exchange(code: string, changes: Record<string, string> = {}) {
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.proof.verifier,
      ...changes,
    });
  }

  renew(refreshToken: string, changes: Record<string, string> = {}) {
    return this.token({ grant_type: "refresh_token", refresh_token: refreshToken, ...changes });
  }

  token(fields: Record<string, string>) {
    const body = new URLSearchParams({ client_id: this.clientId, ...fields });
    return post(`${this.#board.url}/oauth/token`, body.toString(), "application/x-www-form-urlencoded");
  }

  /** Signs in as the publisher of this key. */
  async signIn(key: string): Promise<{ access_token: string; refresh_token: string }> {
    const answer = await decide(this.start(), { key });
    return (await this.exchange(answer.searchParams.get("code") ?? "")).body;
  }

  /** The status of `/mcp/me` for a token. */
  async enter(token: string, path = "/mcp/me"): Promise<number> {
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const headers = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
    return (await post(this.#board.url + path, ping, "application/json", headers)).status;
  }
}

export const CALLBACK = "http://127.0.0.1:9999/callback";

async function post(url: string, body: string, type: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": type, accept: "application/json", ...headers },
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any answer
  const parsed: any = text.startsWith("{") ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body: parsed };
}
