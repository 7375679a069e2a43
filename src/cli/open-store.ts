import type { Config } from "../config.ts";
import { SECRET_KEY_SETTING, Secrets } from "../domain/secrets.ts";
import type { Store } from "../ports/store/index.ts";
import { openStore } from "../store/open.ts";

/** The store of a board without the rest of it: nothing runs, and a new board stays new. */
export const openStoreAlone = (config: Config): Promise<Store> => openStore(config.storeUrl);

/** SECRET_KEY, or what the board made at its first start, or null. */
export async function secretKeyOf(config: Config, store: Store): Promise<string | null> {
  return config.secretKey ?? (await store.settings.get(SECRET_KEY_SETTING));
}

/** The secrets under that key, or null. */
export async function storedSecrets(config: Config, store: Store): Promise<Secrets | null> {
  const key = await secretKeyOf(config, store);
  return key === null ? null : new Secrets(key);
}
