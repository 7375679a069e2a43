import type { PostParts } from "../../schema/text.ts";
import { glossaryVersion, glossOf } from "./glossary.ts";

/** This decides how texts are prepared for a model. */
interface Reader {
  /** True when it reads English only. */
  english: boolean;
}

/** The number is raised when posts reach the model in another form than before. */
const FORM = 1;

/**
 * Names how posts are prepared for a model: vectors made by another preparation compare with those of this one, and are
 * renewed in the background.
 */
export const preparationFor = ({ english }: Reader): string =>
  english ? `${FORM}-glossed-${glossaryVersion()}` : `${FORM}-plain`;

/**
 * Prepares what the model gets of a post, or of the words of a query. A text in another language than the model reads has
 * English words beside it: a query behind, a post those of its title in front and the others behind.
 */
export function textForModel(text: string | PostParts, { english }: Reader): string {
  if (typeof text === "string") return [text, english ? glossOf(text) : ""].filter(Boolean).join(". ");
  const whole = wholeText(text);
  const gloss = english ? glossOf(`${text.title}. ${text.body}`) : "";
  return gloss === "" ? whole : `${glossOf(text.title) || gloss}. ${whole}\n${gloss}`;
}

/** Joins all text of a post, the title first, because long texts are cut at the end. */
function wholeText({ title, body, tags, placeName }: PostParts): string {
  const more = [...tags, placeName ?? ""].filter(Boolean).join(", ");
  return more === "" ? `${title}. ${body}` : `${title}. ${body}\n${more}`;
}
