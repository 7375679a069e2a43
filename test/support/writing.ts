import { expect } from "vitest";
import type { TestBoard } from "./board.ts";
import { type Answer, call } from "./client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of a post
type Wire = any;

const SYLLABLES =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split(" ");

let written = 0;

/**
 * Twelve words unlike all others of this process, so that the board takes no post for another's duplicate, however
 * many there are. They are no words of any language, so that no test finds them by chance.
 */
export function prose(): string {
  written += 1;
  let state = Math.imul(written, 0x9e3779b1);
  const syllable = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return SYLLABLES[((state ^ (state >>> 13)) >>> 0) % SYLLABLES.length];
  };
  return Array.from({ length: 12 }, () => `${syllable()}${syllable()}${syllable()}`).join(" ");
}

/** Writes a post with text of its own where `fields` give none; resolves to the post. Anything but a 201 fails the test. */
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
  let cursor: string | null = null;
  for (let number = 1; ; number += 1) {
    const at: string = cursor === null ? "" : `${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
    const page: Answer = await call(board, `GET ${path}${at}`);
    expect(page.status, JSON.stringify(page.body)).toBe(200);
    posts.push(...page.body.data);
    cursor = page.body.next_cursor;
    if (cursor === null) return posts;
    await between(page, number);
  }
}
