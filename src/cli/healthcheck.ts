import { Command } from "commander";
import { readConfig } from "../config.ts";
import { jsonOption, print } from "./output.ts";

const ANSWER_MS = 4_000;

/** `agent-board healthcheck`: for Docker, systemd and cron. Exits with 0 where the board of this environment serves, else with 1. */
export function healthcheckCommand(): Command {
  return new Command("healthcheck").addOption(jsonOption()).action(async ({ json }: { json: boolean }) => {
    const { host, port } = readConfig(process.env);
    const near = /^(0\.0\.0\.0|::|)$/.test(host) ? "127.0.0.1" : host;
    const url = `http://${near.includes(":") ? `[${near}]` : near}:${port}/readyz`;
    const { ok, says } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
      async (response) => ({ ok: response.ok, says: await response.text() }),
      () => ({ ok: false, says: "no answer" }),
    );
    print(json, { url, ok, says }, `${url}: ${says}`);
    process.exitCode = ok ? 0 : 1;
  });
}
