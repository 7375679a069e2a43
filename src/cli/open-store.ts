import type { Config } from "../config.ts";
import { SECRET_KEY_SETTING, Secrets } from "../domain/secrets.ts";
import type { Store } from "../ports/store/index.ts";
import { EmbeddedIndex } from "../search-index/index.ts";
import { openStore } from "../store/open.ts";

/** The store of a board without the rest of it: nothing runs, and a new board stays new. */
export function openStoreAlone(config: Config): Promise<Store> {
  // Vectors are written through it and not searched, so none are loaded.
  return openStore(config.storeUrl, { index: new EmbeddedIndex({ modelId: null, dimension: 16 }) });
}

/** SECRET_KEY, or what the board made at its first start, or null. */
export async function secretKeyOf(config: Config, store: Store): Promise<string | null> {
  return config.secretKey ?? (await store.settings.get(SECRET_KEY_SETTING));
}

export async function secretsOf(config: Config, store: Store): Promise<Secrets | null> {
  const key = await secretKeyOf(config, store);
  return key === null ? null : new Secrets(key);
}
