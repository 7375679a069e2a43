/** What a phrase does in an attack. The rules in `../possible-instruction.ts` decide; one word alone never does. */
export type Concept =
  | "not" // a denial in front: "never ignore …"
  | "ignore" // set aside, forget
  | "prior" // previous, above, all, your
  | "rules" // instructions, prompt, guidelines
  | "everything" // "all you were told"
  | "doc" // the text at hand: page, article, résumé, code
  | "and" // leads from setting aside to doing
  | "say" // state, print, answer
  | "repeat" // show word for word
  | "ask" // what is, tell me, give me
  | "your"
  | "secret" // password, key, system prompt
  | "prompt" // a model's own instructions
  | "persona" // you are now, act as
  | "machine" // AI, language model, assistant
  | "address" // speaks to a machine that reads
  | "must"
  | "mode" // system mode, override
  | "hide" // without telling
  | "user"
  | "send"
  | "suppose" // in a world where
  | "wesay" // we might state
  | "only" // reply with only
  | "quoted"
  | "authority" // I am your developer
  | "phrase"; // enough by itself

/**
 * A language's words, general ones rather than quotations of attacks. `|` separates; a final `*` takes any ending
 * (scripts without blanks always do). All is folded as texts are, so accents and case do not matter.
 */
export type Words = Readonly<Partial<Record<Concept, string>>>;
