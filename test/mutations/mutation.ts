/** A defence taken out of the program, and the test that must then fail. */
export interface Mutation {
  /** The attack or fault: a letter of `ROWS`. */
  row: keyof typeof ROWS;
  /** What keeps it off. */
  defence: string;
  file: string;
  /** Occurs once in the file. */
  search: string;
  /** What stands there without the defence; it must still parse. */
  replace: string;
  /** File and title of the test. A title with values in it is cut before the first. */
  test: readonly [file: string, title: string];
}

/** What a board in public must survive. */
export const ROWS = {
  A: "Requests that a stranger's URL makes the board send",
  B: "Webhooks: consent, signatures, retries",
  C: "Keys, and whose things they open",
  D: "Limits",
  E: "Hostile input",
  F: "Third-party text on every surface",
  G: "Crashes, full and damaged disks, stops",
  H: "Erasure",
  I: "Flags and hidden posts",
  J: "Load: slow, silent and too many clients",
  K: "Hosts that sign in",
} as const;
