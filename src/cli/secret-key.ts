import { Command } from "commander";
import { readConfig } from "../config.ts";
import { secretKeyOf, withStore } from "./open-store.ts";

/** `agent-board secret-key`: the SECRET_KEY that another machine needs; never part of an export. */
export function secretKeyCommand(): Command {
  return new Command("secret-key")
    .description("print the secret key of this board, for SECRET_KEY of the one it moves to; keep it secret")
    .action(async () => {
      const config = readConfig(process.env);
      await withStore(config, async (store) => {
        const key = await secretKeyOf(config, store);
        if (key === null) throw new Error("This board was never started: it has no secret key yet.");
        process.stdout.write(`${key}\n`);
      });
    });
}
