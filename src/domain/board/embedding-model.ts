import type { Embedder } from "../../ports/embedder.ts";
import type { Store } from "../../ports/store/index.ts";

const SETTING = "embedding_model";

/**
 * Decides which model's vectors a board keeps. During an upgrade, or by mistake, the processes of one board may run
 * different models. If each wrote its own vectors, they would overwrite each other's forever. So the last process to
 * start decides, and only processes with its model write vectors. The others search the vectors left from their own.
 */
export class BoardModel {
  readonly #store: Store;
  readonly #embedder: Embedder;

  constructor(parts: { store: Store; embedder: Embedder }) {
    this.#store = parts.store;
    this.#embedder = parts.embedder;
  }

  /** Makes this process's model the model of the board. */
  async choose(): Promise<void> {
    if (!(await this.isOurs())) await this.#store.settings.set(SETTING, this.#embedder.modelId);
  }

  async isOurs(): Promise<boolean> {
    return (await this.#store.settings.get(SETTING)) === this.#embedder.modelId;
  }
}
