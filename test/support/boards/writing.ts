import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { TestBoard } from "./board.ts";
import { type Answer, call } from "./client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of a post
type Wire = any;

const SYLLABLES =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split(" ");

let written = 0;

/**
 * Sixteen words unlike all others of this process, so the board takes no post for a duplicate of another, however many
 * there are. The words belong to no language, so no test finds them by chance.
 */
export function prose(): string {
  written += 1;
  const bytes = createHash("sha512").update(String(written)).digest();
  const syllables = [...bytes].map((byte) => SYLLABLES[byte % SYLLABLES.length]);
  return Array.from({ length: 16 }, (_, n) => syllables.slice(4 * n, 4 * n + 4).join("")).join(" ");
}

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
