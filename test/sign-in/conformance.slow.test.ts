import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../support/boards/board-process.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { newerNode, SUITE } from "../support/clients/newer-node.ts";
import { decide, RawHost } from "../support/clients/sign-in.ts";

const node = newerNode();
const board = useTestBoard({ SIGN_IN: "on" }, { idle: true });

describe.skipIf(node === null)("the official conformance suite", () => {
  it("finds no failure in the authorization server: metadata, and a code that a person's browser brings", async () => {
    const { key } = await register(board, "Baker");
    const port = String(await freePort());
    const callback = `http://127.0.0.1:${port}/callback`;
    const { clientId } = await RawHost.register(board, { redirect_uris: [callback] });
    const suite = join(SUITE, "@modelcontextprotocol/conformance/dist/index.js");
    const client = ["--url", board.url, "--client-id", clientId];
    const options = [...client, "--resource", `${board.url}/mcp/me`, "-p", port];
    const child = spawn(node ?? "", [suite, "authorization", ...options]);
    let output = "";
    let opened = false;
    const code = await new Promise<number | null>((resolve) => {
      child.once("exit", resolve);
      child.stdout.on("data", (chunk) => {
        output += chunk;
        const url = /http:\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output)?.[0];
        // When it says so, it listens for the answer.
        if (url === undefined || opened || !output.includes("Callback server started")) return;
        opened = true;
        void decide(url, { key }).then((answer) => fetch(answer));
      });
    });
    expect(code, output).toBe(0);
    expect(output).toContain("authorization-server-metadata-endpoint: 2 passed, 0 failed");
    expect(output).toContain("authorization-code-grant: 1 passed, 0 failed");
  });
});
