import { type Config, readConfig } from "../config.ts";
import { SECRET_KEY_SETTING, Secrets } from "../domain/secrets.ts";
import type { OpenBoard } from "../open-board.ts";
import type { Store } from "../ports/store/index.ts";
import { openStore, storeExists } from "../store/open.ts";
import { refuseHalfImported } from "../transfer/import-board.ts";
import { openLogger } from "./output.ts";

/**
 * Opens the store of the configured board for `use`, and closes it. An address without a board stays without one.
 * @throws Error where no board is, or a half imported one
 */
export async function withBoard(use: (store: Store, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  await requireBoard(config);
  await withStore(config, async (store) => {
    await refuseHalfImported(store.settings);
    await use(store, config);
  });
}

/** Gives the address of the store, without a password. */
export const storeAddress = ({ storeUrl }: Config): string =>
  storeUrl.replace(/^(mongodb[^/]*\/\/)(?:.*@)?([^?]*).*/, "$1$2");

/** @throws Error where no board is */
export async function requireBoard(config: Config): Promise<void> {
  if (await storeExists(config.storeUrl)) return;
  throw new Error(
    `There is no board at ${storeAddress(config)}: nothing was ever written there. Give this command the DATA_DIR or STORE_URL of the board.`,
  );
}

/** Opens a store for `use`, making it where it is missing, and closes it. Nothing else of the board runs. */
export async function withStore({ storeUrl }: Config, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(storeUrl, (line) => void process.stderr.write(`${line}\n`));
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

/** Reads SECRET_KEY, or else the key that the board made at its first start, or null. */
export async function secretKeyOf(config: Config, store: Store): Promise<string | null> {
  return config.secretKey ?? (await store.settings.get(SECRET_KEY_SETTING));
}

export async function storedSecrets(config: Config, store: Store): Promise<Secrets | null> {
  const key = await secretKeyOf(config, store);
  return key === null ? null : new Secrets(key);
}

/**
 * Opens a board for `act`, and closes it: everything but the model and the work beside the answers. What it writes gets its
 * vectors when the board runs.
 */
export async function withServices(act: (board: OpenBoard) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  // Help and completion do without it.
  const { openBoard } = await import("../open-board.ts");
  const board = await openBoard({ ...config, embeddings: "off" }, { logger: openLogger(config.logLevel) });
  try {
    await act(board);
  } finally {
    await board.close();
  }
}
