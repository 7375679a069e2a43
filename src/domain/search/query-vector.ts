import { type Embedder, EmbedderUnavailable } from "../../ports/embedder.ts";
import { quantize } from "../../search/vectors.ts";

/** The meaning of a query's plain text, or null when there is no text, no model, or no time for it now. */
export async function queryVector(embedder: Embedder, text: string): Promise<Int8Array | null> {
  if (text === "" || embedder.state() !== "ready") return null;
  try {
    const [vector] = await embedder.embed([text], "query");
    return vector === undefined ? null : quantize(vector);
  } catch (error) {
    if (error instanceof EmbedderUnavailable) return null;
    throw error;
  }
}
