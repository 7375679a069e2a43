import { inspect } from "node:util";
import { type Dispatcher, request as send } from "undici";
import type { TestBoard } from "./board.ts";

/** An answer over REST, body parsed. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any envelope
  body: any;
}

/**
 * Sends one request to the board's API, in half the time that `fetch` takes. A string body is sent unchanged, any other
 * body as JSON.
 */
export async function call(
  { api }: Pick<TestBoard, "api">,
  request: `${string} ${string}`,
  body?: unknown,
  options: { key?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const [method = "GET", path = "/"] = request.split(" ");
  const response = await send(path.startsWith("http") ? path : api + path, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(response.headers))
    for (const each of [value].flat()) headers.append(name, each);
  const text = await response.body.text();
  const isJson = headers.get("content-type")?.includes("json") === true;
  return {
    status: response.statusCode,
    headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

/** Registers a publisher; resolves to its id and key. */
export async function register(
  board: Pick<TestBoard, "api">,
  name = "Tester",
): Promise<{ id: string; key: string }> {
  const { body } = await call(board, "POST /publishers", { name, accept_terms: true });
  return { id: body.data.id, key: body.data.api_key };
}

/**
 * Asks again until the answer satisfies, and resolves to it. The bound is for answers that never come: except on a busy
 * machine, others come far sooner.
 * @throws with the last answer when none satisfied within `ms`
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  good: (answer: T) => boolean,
  ms = 20_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (good(answer)) return answer;
    if (Date.now() > end)
      throw new Error(`in ${ms} ms, the last answer was ${inspect(answer, { depth: 4 })}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
