import { textToEmbed } from "../vectors.ts";
import { glossOf } from "./index.ts";

/**
 * What the model, which reads English, gets of a post. Where that is in another language, its title in English words goes
 * first and the rest of them last: chosen over a list before, a list behind, and the mean of two vectors.
 */
export function postForModel(post: Parameters<typeof textToEmbed>[0]): string {
  const text = textToEmbed(post);
  const gloss = glossOf(`${post.title}. ${post.body}`);
  return gloss === "" ? text : `${glossOf(post.title) || gloss}. ${text}\n${gloss}`;
}

/** What the model gets of the words of a query. */
export function queryForModel(plain: string): string {
  const gloss = glossOf(plain);
  return gloss === "" ? plain : `${plain}. ${gloss}`;
}
