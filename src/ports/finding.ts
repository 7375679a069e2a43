/** What looking at one thing found: a sentence for the operator, which holds no credentials. */
export interface Finding {
  /** A warning is worth a look; a problem keeps the board from working, now or soon. */
  level: "ok" | "warning" | "problem";
  /** What was looked at, in a word or two. */
  about: string;
  /** What was found, and what to do about it unless it is well. */
  text: string;
}

export const passed = (about: string, text: string): Finding => ({ level: "ok", about, text });
export const warning = (about: string, text: string): Finding => ({ level: "warning", about, text });
export const problem = (about: string, text: string): Finding => ({ level: "problem", about, text });
