/** One check tells the operator its result in a sentence, without credentials. */
export interface Finding {
  /** A warning is worth a look; a problem keeps the board from working, now or soon. */
  level: "ok" | "warning" | "problem";
  /** Names what was checked, in a word or two. */
  about: string;
  /** Says what was found and, unless all is well, what to do about it. */
  text: string;
}

export const passed = (about: string, text: string): Finding => ({ level: "ok", about, text });
export const warning = (about: string, text: string): Finding => ({ level: "warning", about, text });
export const problem = (about: string, text: string): Finding => ({ level: "problem", about, text });
