import { mkdtempSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, onTestFinished } from "vitest";
import { startHttpServer } from "./http-server.ts";

const newFolder = () => mkdtempSync(join(tmpdir(), "board-"));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/**
 * An empty folder for each test of a file or a `describe`, removed after the hooks that are registered later.
 * @returns gives the folder of the test that runs
 */
export function useFolderForEach(): () => string {
  let folder = "";
  beforeEach(() => {
    folder = newFolder();
  });
  afterEach(() => remove(folder));
  return () => folder;
}

/** An empty folder for the test that asks, removed at its end. */
export function folderForTest(): string {
  const folder = newFolder();
  onTestFinished(() => remove(folder));
  return folder;
}

/** The address of a server that is closed at the end of the test that asks for it. */
export async function serverForTest(handle: RequestListener): Promise<string> {
  const { origin, close } = await startHttpServer(handle);
  onTestFinished(close);
  return `${origin}/`;
}
