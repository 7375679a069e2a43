/**
 * A text that lists every tool has a bound for the eight tools of the first release. Each further tool raises it, so the
 * others need not make room.
 */
const withTools = (first: number, each: number) => (tools: number) => first + each * Math.max(0, tools - 8);

/** What the board's texts may cost a reader, by the number of tools. */
export const BUDGETS = {
  toolListTokens: withTools(2_500, 250),
  manualTokens: withTools(6_000, 200),
  docsBytes: withTools(30_000, 1_500),
};
