import type { BoardError } from "../../../board/failures.ts";
import { type Html, html, type Piece, sentence } from "./html.ts";

type Issue = BoardError["issues"][number];

/** Tells people what was wrong: messages of the API name values that no form shows. */
export const problemText = ({ path, code, message }: Issue): Piece =>
  path === "accept_terms"
    ? "Accept the terms to go on."
    : code === "required"
      ? "Fill this in."
      : TIMES.test(path) && message.includes("`")
        ? "Write a day as 2026-12-05, or with its hour as 2026-12-05 19:00 beside a place, whose clocks count."
        : sentence(message);

const TIMES = /^(?:starts_at|ends_at|after|before)$/;

/**
 * Ties what was wrong to a box of a form.
 * @param name  of the field, as failures call it
 * @param id  of the box
 * @returns  attributes of the box, and what stands below it; neither where nothing was wrong
 */
export function faultOf(error: BoardError | undefined, name: string, id: string): { mark: Html; told: Html } {
  const found = error?.issues.filter(({ path }) => path === name || path.startsWith(`${name}.`)) ?? [];
  if (found.length === 0) return { mark: html``, told: html`` };
  return {
    mark: html` aria-invalid="true" aria-describedby="${id}-problem"`,
    told: html`<span class="problem" id="${id}-problem">${found.map((issue, at) => html`${at > 0 && " "}${problemText(issue)}`)}</span>`,
  };
}
