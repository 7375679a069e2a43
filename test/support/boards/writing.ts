import { expect } from "vitest";
import { prose } from "../texts/prose.ts";
import type { TestBoard } from "./board.ts";
import { type Answer, call } from "./client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of a post
type Wire = any;

export { prose };

/** Writes a post, with unique text unless `fields` has some; resolves to the post. Anything but a 201 fails the test. */
export async function write(board: Pick<TestBoard, "api">, key: string, fields: object = {}): Promise<Wire> {
  const sent = { title: "A notice", body: prose(), ...fields };
  const { status, body } = await call(board, "POST /posts", sent, { key });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

/** The posts that a search or list answers with. */
export async function found(board: Pick<TestBoard, "api">, path: string): Promise<Wire[]> {
  const { status, body } = await call(board, `GET ${path}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

/** The titles that a search or list answers with. */
export async function titles(board: Pick<TestBoard, "api">, path: string): Promise<string[]> {
  return (await found(board, path)).map((post) => post.title);
}

/**
 * Follows `next_cursor` to the end.
 * @param between  called after each page but the last
 * @returns the posts of all pages, in order
 */
export async function walk(
  board: Pick<TestBoard, "api">,
  path: string,
  between: (page: Answer, number: number) => Promise<unknown> = async () => {},
): Promise<Wire[]> {
  const posts: Wire[] = [];
  const [list, query] = path.split("?");
  const parameters = new URLSearchParams(query);
  for (let number = 1; ; number += 1) {
    const page: Answer = await call(board, `GET ${list}?${parameters}`);
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    posts.push(...page.body.data);
    if (page.body.next_cursor === null) return posts;
    parameters.set("cursor", page.body.next_cursor);
    await between(page, number);
  }
}
