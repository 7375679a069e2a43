import type { VectorMaker } from "./store/index.ts";

/** A vector's maker in one word, as stores keep it beside vectors of posts and of saved queries. */
export const makerName = ({ model, preparation }: VectorMaker): string =>
  preparation === undefined ? model : `${model}#${preparation}`;

/** The preparation in a maker's word; nothing where there was none. */
export function preparationIn(maker: string | null | undefined, model: string): { preparation?: string } {
  return maker?.startsWith(`${model}#`) === true ? { preparation: maker.slice(model.length + 1) } : {};
}

/** Whether a maker's word names a model, however the text was prepared; one without preparation is the model alone. */
export const isMadeBy = (maker: string, model: string): boolean =>
  maker === model || maker.startsWith(`${model}#`);
