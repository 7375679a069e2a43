import { ar } from "./words/ar.ts";
import { bn } from "./words/bn.ts";
import { de } from "./words/de.ts";
import { en } from "./words/en.ts";
import { es } from "./words/es.ts";
import { fr } from "./words/fr.ts";
import { hi } from "./words/hi.ts";
import { id } from "./words/id.ts";
import { it } from "./words/it.ts";
import { ja } from "./words/ja.ts";
import { ko } from "./words/ko.ts";
import { nl } from "./words/nl.ts";
import { pl } from "./words/pl.ts";
import { pt } from "./words/pt.ts";
import { ru } from "./words/ru.ts";
import { th } from "./words/th.ts";
import { tl } from "./words/tl.ts";
import { tr } from "./words/tr.ts";
import { vi } from "./words/vi.ts";
import { zh } from "./words/zh.ts";

/** What a phrase does in an attack. Rules over these, in `possible-instruction.ts`, decide; one word alone never does. */
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

export const LEXICON: Readonly<Record<string, Words>> = {
  en,
  de,
  fr,
  es,
  pt,
  it,
  nl,
  pl,
  ru,
  tr,
  ar,
  hi,
  bn,
  zh,
  ja,
  ko,
  vi,
  th,
  id,
  tl,
};
