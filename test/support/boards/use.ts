import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { mcpClient, type TestClient } from "../clients/mcp-clients.ts";
import { startBoard, type TestBoard } from "./board.ts";
import { register } from "./client.ts";

type Options = Parameters<typeof startBoard>[1];

/**
 * A board for the tests of a file or a `describe`: started before them, stopped after them, and empty until then.
 * @param options  a function where they are known only when the board starts, such as another board's folder
 */
export function useTestBoard(
  environment: Record<string, string> = {},
  options: Options | (() => Options) = {},
): TestBoard {
  const board = {} as TestBoard;
  beforeAll(async () => {
    const given = typeof options === "function" ? options() : options;
    Object.assign(board, await startBoard(environment, given));
  });
  afterAll(() => board.stop());
  return board;
}

/** A publisher of such a board. */
export function usePublisher(board: TestBoard, name?: string): { id: string; key: string } {
  const publisher = { id: "", key: "" };
  beforeAll(async () => {
    Object.assign(publisher, await register(board, name));
  });
  return publisher;
}

/** An MCP client of the current revision at such a board, with the key of a publisher or without one. */
export function useClient(board: TestBoard, path: `/mcp${string}`, publisher?: { key: string }): TestClient {
  const client = {} as TestClient;
  beforeAll(async () => {
    const key = publisher === undefined ? {} : { key: publisher.key };
    Object.assign(client, await mcpClient({ url: board.url + path, ...key }));
  });
  afterAll(() => client.close());
  return client;
}

/** An empty folder for the tests of a file or a `describe`, removed after them. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "board-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
