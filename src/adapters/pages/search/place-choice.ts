import type { BoardError } from "../../../board/failures.ts";
import { bdi, type Html, html } from "../frame/html.ts";
import { problemText } from "../frame/problems.ts";

const UNKNOWN_PLACES: Readonly<Record<string, string>> = {
  ambiguous_place: "Several places bear this name:",
  unknown_place: "No town of this name is known.",
  not_a_place: "This country or region is too large, or there are several. Name a town.",
};

/**
 * Tells people what was wrong with a search, and links to each place that is meant perhaps.
 * @param pathOf  the address of the same page near a place
 */
export function placeChoice(issue: BoardError["issues"][number], pathOf: (place: string) => string): Html {
  const { code, message } = issue;
  const said = UNKNOWN_PLACES[code];
  if (said === undefined) return html`${problemText(issue)}`;
  const labels = [...message.matchAll(/"([^"]+)"/g)].map(([, place]) => String(place));
  const meant = code === "unknown_place" && labels.length > 0 && " Did you mean";
  return html`${said}${meant} ${placeLinks(labels, pathOf)}`;
}

/** Shows places, each as a link. */
export const placeLinks = (labels: readonly string[], pathOf: (place: string) => string): Html =>
  html`${labels.map((label, at) => html`${at > 0 && " · "}<a href="${pathOf(label)}">${bdi(label)}</a>`)}`;
