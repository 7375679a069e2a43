import { Command } from "commander";
import { SECRET_KEY_CHECK_SETTING } from "../domain/secrets.ts";
import { readinessAt, readinessUrl } from "./doctor.ts";
import { secretKeyOf, storedSecrets, withBoard } from "./open-store.ts";
import { jsonOption, print } from "./output.ts";

/** Makes `agent-board secret-key`, which prints the SECRET_KEY that another machine needs; never part of an export. */
export function secretKeyCommand(): Command {
  return new Command("secret-key")
    .option(
      "--change",
      "from now on the board's key is this SECRET_KEY; every webhook's secret changes",
      false,
    )
    .addOption(jsonOption())
    .action(async ({ change, json }: { change: boolean; json: boolean }) => {
      await withBoard(async (store, config) => {
        if (change) {
          const url = readinessUrl(config);
          if ((await readinessAt(url)) !== null)
            throw new Error(`A board runs at ${url}: stop every process of it first.`);
          const secrets = await storedSecrets(config, store);
          if (secrets === null) throw new Error("Set SECRET_KEY to the new key.");
          await store.settings.set(SECRET_KEY_CHECK_SETTING, secrets.storeCheck());
          print(json, { changed: true }, "The board's secret key is changed. Start every process with it.");
          return;
        }
        const key = await secretKeyOf(config, store);
        if (key === null) {
          const isElsewhere = (await store.settings.get(SECRET_KEY_CHECK_SETTING)) !== null;
          throw new Error(
            isElsewhere
              ? "This board runs with the SECRET_KEY of its environment: set it here too."
              : "This board was never started: it has no secret key yet.",
          );
        }
        print(json, { secret_key: key }, key);
      });
    });
}
