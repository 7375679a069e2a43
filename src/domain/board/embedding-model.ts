import type { Embedder } from "../../ports/embedder.ts";
import type { Store } from "../../ports/store/index.ts";

const SETTING = "embedding_model";

/**
 * Which model's vectors a board keeps. Processes of one board may run under different models for a while, during an upgrade
 * or by mistake; if each wrote its own vectors, they would undo each other's for ever. The process that started last
 * decides, and only those that have its model write vectors. The others search by the vectors that are left for theirs.
 */
export class BoardModel {
  readonly #store: Store;
  readonly #embedder: Embedder;

  constructor(parts: { store: Store; embedder: Embedder }) {
    this.#store = parts.store;
    this.#embedder = parts.embedder;
  }

  /** Makes this process's model the board's. */
  async choose(): Promise<void> {
    if (!(await this.isOurs())) await this.#store.settings.set(SETTING, this.#embedder.modelId);
  }

  async isOurs(): Promise<boolean> {
    return (await this.#store.settings.get(SETTING)) === this.#embedder.modelId;
  }
}
