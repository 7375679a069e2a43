import { textToEmbed } from "../vectors.ts";
import { glossaryVersion, glossOf } from "./index.ts";

/** What decides how texts are prepared for a model. */
interface Reader {
  /** True when it reads English only. */
  english: boolean;
}

/** Raised when a post reaches the model in another form than before. */
const FORM = 1;

/**
 * Names how posts are prepared for a model: vectors made by another preparation compare with those of this one, and are
 * renewed in the background.
 */
export const preparationFor = ({ english }: Reader): string =>
  english ? `${FORM}-glossed-${glossaryVersion()}` : `${FORM}-plain`;

/**
 * What the model gets of a post. For one that reads English only, a post in another language has its title in English
 * words first and the rest of them last: chosen over a list before, a list behind, and the mean of two vectors.
 */
export function postForModel(post: Parameters<typeof textToEmbed>[0], { english }: Reader): string {
  const text = textToEmbed(post);
  const gloss = english ? glossOf(`${post.title}. ${post.body}`) : "";
  return gloss === "" ? text : `${glossOf(post.title) || gloss}. ${text}\n${gloss}`;
}

/** What the model gets of the words of a query. */
export function queryForModel(plain: string, { english }: Reader): string {
  const gloss = english ? glossOf(plain) : "";
  return gloss === "" ? plain : `${plain}. ${gloss}`;
}
