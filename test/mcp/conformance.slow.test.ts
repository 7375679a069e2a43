import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mcpRouter } from "../../src/adapters/mcp/http/index.ts";
import { useFolder, useTestBoard } from "../support/boards/use.ts";
import { withFixtures } from "../support/clients/conformance-fixtures.ts";
import { newerNode, SUITE } from "../support/clients/newer-node.ts";

const NO_SESSION =
  "asks the client in the middle of a call, which needs the session that a stateless server does not keep";
const NO_LOGGING = "logging, which the current revision deprecates";
const NO_CHANGES = "announcements without a session; `subscriptions/listen` of the next revision has them";

/** What the board does not do, by set of requirements. Any other failure fails the suite, and so does an entry that passes. */
const EXPECTED: Record<string, Record<string, string>> = {
  "2025-11-25": {
    "logging-set-level": NO_LOGGING,
    "tools-call-with-logging": NO_LOGGING,
    "tools-call-sampling": NO_SESSION,
    "tools-call-elicitation": NO_SESSION,
    "elicitation-sep1034-defaults": NO_SESSION,
    "elicitation-sep1330-enums": NO_SESSION,
    "server-sse-multiple-streams": "needs a session; skipped, which the suite counts as a failure expected",
    "resources-subscribe": NO_CHANGES,
    "resources-unsubscribe": NO_CHANGES,
  },
  "2026-07-28": {},
};

const node = newerNode();
const board = useTestBoard();
let server: Server;
let url: string;
const folder = useFolder();
beforeAll(async () => {
  server = createServer(express().use(mcpRouter(board.board, withFixtures)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe.skipIf(node === null)("the official conformance suite", () => {
  it.each(Object.entries(EXPECTED))("finds no failure outside the list: %s", async (set, expected) => {
    const baseline = join(folder, `${set}.yml`);
    await writeFile(baseline, `server: ${JSON.stringify(Object.keys(expected))}\n`);
    const suite = join(SUITE, "@modelcontextprotocol/conformance/dist/index.js");
    const args = [suite, "server", "--url", url, "--requirements", set, "--expected-failures", baseline];
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(node ?? "", args, { maxBuffer: 1e8 }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      ),
    );
    expect(code, output.slice(output.indexOf("=== SUMMARY ==="))).toBe(0);
  });
});
