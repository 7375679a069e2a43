import { stat } from "node:fs/promises";
import { readConfig } from "../config.ts";
import { SECRET_KEY_SETTING } from "../domain/secrets.ts";
import { counted } from "../schema/text.ts";
import { checkExport, importBoard } from "../transfer/import-board.ts";
import { storeAddress, storedSecrets, withStore } from "./open-store.ts";
import { createProgress, print } from "./output.ts";

/** Runs `agent-board import FILE` where the file is an export: a whole board goes into an empty one. */
export async function importExport(
  file: string,
  options: { otherSecretKey: boolean; json: boolean; secretKey?: string },
): Promise<void> {
  const config = readConfig(process.env);
  const { size } = await stat(file);
  const checked = await checkExport(file, createProgress(`Checking ${file}`, size));
  process.stderr.write(`Into ${storeAddress(config)}\n`);
  await withStore(config, async (store) => {
    const { id, secret_key_check: check } = checked.header;
    if (options.secretKey !== undefined) await store.settings.setOnce(SECRET_KEY_SETTING, options.secretKey);
    const secrets = await storedSecrets(config, store);
    if (check !== null && check !== secrets?.keyCheck(id) && !options.otherSecretKey)
      throw new Error(OTHER_KEY);
    const imported = await importBoard(store, file, checked, createProgress(`Importing ${file}`, size));
    if (imported === null) print(options.json, { imported: false }, "This export is in the board already.");
    else {
      const {
        post: posts = 0,
        publisher: publishers = 0,
        subscription: subscriptions = 0,
      } = checked.header.rows;
      const dropped = Object.fromEntries(checked.dropped);
      print(
        options.json,
        { imported: true, rows: imported.rows, publishers, posts, subscriptions, dropped },
        `${counted(imported.rows, "row")}. The board has ${counted(publishers, "publisher")}, ${counted(posts, "post")}, ${counted(subscriptions, "saved query", "saved queries")}.`,
      );
    }
    for (const [name, n] of checked.dropped)
      process.stderr.write(
        `Dropped: ${n} × ${name}, which an earlier release kept and boards no longer do.\n`,
      );
    if (config.secretKey !== null) process.stderr.write(SAME_KEY);
  });
}

const SAME_KEY =
  "Start the board with this SECRET_KEY, now and later: the store does not keep it, and a start without it makes another.\n";
const OTHER_KEY =
  "The exported board has another secret key than this one. Webhook secrets and ids of posts with an idempotency key derive " +
  "from it: set SECRET_KEY to that of the exported board (`agent-board secret-key` prints it there), or import with " +
  "--other-secret-key, and every webhook's secret changes.";
