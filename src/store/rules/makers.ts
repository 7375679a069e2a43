import type { VectorMaker } from "../../ports/store/index.ts";

/** A vector's maker in one word, as stores keep it beside the model. */
export const makerName = ({ model, preparation }: VectorMaker): string =>
  preparation === undefined ? model : `${model}#${preparation}`;

/** The preparation in a maker's word; nothing where there was none. */
export function preparationIn(maker: string | null | undefined, model: string): { preparation?: string } {
  return maker?.startsWith(`${model}#`) === true ? { preparation: maker.slice(model.length + 1) } : {};
}
