import { readData } from "../../data/read.ts";
import { folded } from "./fold.ts";

/** Names what a word or phrase does in an attack. `acts.ts` weighs them together; few weigh anything alone. */
export type Concept =
  | "not" // a denial in front: "never ignore …"
  | "never" // a denial on either side: "send your password never"
  | "topic" // what instructions are for: "your instructions for origami"
  | "unless" // a denial behind, where languages put it there
  | "talk" // may tell of attacks instead of making one: "lecture", "the phrase"
  | "report" // does tell of them: "attackers", "prompt injection"
  | "plain" // everyday words that hold a dangerous one: "wifi password"
  | "ignore" // set aside, forget
  | "void" // no longer counts
  | "prior" // previous, above, all
  | "own" // your, as in your instructions
  | "rules" // what only a machine has: instructions, prompt
  | "norms" // what people have too: rules, guidelines, directions
  | "everything" // "all you were told"
  | "newtask" // "your new task"
  | "doc" // the text at hand: page, article, résumé, code
  | "and" // leads from setting aside to doing
  | "say" // state, print, answer
  | "repeat" // show word for word
  | "ask" // what is, tell me, give me
  | "your" // whose secret
  | "secret" // password, key, token
  | "prompt" // a model's own instructions
  | "persona" // you are now, act as
  | "machine" // AI, language model, assistant
  | "free" // without restrictions
  | "loose" // without rules, said of much else too
  | "address" // speaks to a machine that reads
  | "reader" // speaks to one who works for somebody else: "your user", "whoever processes this"
  | "bots" // machines in the plural, as the one spoken to
  | "must"
  | "sway" // recommend, rank first, say that
  | "mode" // developer mode enabled
  | "hide" // without telling
  | "user" // the person a model works for
  | "theirs" // what belongs to that person
  | "personal" // birth date, home address
  | "tell" // tell, convince
  | "secretly" // without asking anybody
  | "deed" // order, pay, transfer
  | "send" // send, post, forward
  | "here" // as a reply, to us
  | "gear" // your sandbox, your working folder
  | "only" // reply with only
  | "quoted"
  | "answer" // your answer, your summary
  | "whenever" // each time somebody asks
  | "regardless" // whatever you think
  | "shape" // must begin with, has to say
  | "suppose" // in a world where
  | "wesay" // we might state
  | "authority" // I am your developer
  | "keep" // remember, store
  | "memory" // for all future conversations
  | "spread" // copy this text into each of your posts
  | "posts" // where copies go: "each of your posts"
  | "decode" // decode, reverse
  | "obey" // do what it says
  | "phrase"; // enough by itself

/**
 * A row of `src/data/flags.jsonl` has words of a language (ISO 639-1; `tl` for Filipino; `any` for those that are the same
 * in many) that do one thing, general ones rather than quotations of attacks. `|` separates; a final `*` takes any ending
 * (scripts without blanks always do). All is folded as texts are, so accents and case do not matter.
 */
interface WordRow {
  language: string;
  concept: Concept;
  words: string;
}

/** Words that are the same in many languages have this language. */
export const ANY = "any";

/** Holds one bit per concept, in two halves of 30, so that two comparisons tell whether several concepts occur. */
export interface Mask {
  low: number;
  high: number;
}

const MASKS = new Map<Concept, Mask>();

export function maskOf(concept: Concept): Mask {
  const known = MASKS.get(concept);
  if (known !== undefined) return known;
  const at = MASKS.size;
  const mask = at < 30 ? { low: 1 << at, high: 0 } : { low: 0, high: 1 << (at - 30) };
  MASKS.set(concept, mask);
  return mask;
}

/** Holds a word as the lexicon has it; a prefix also begins longer words. */
export interface Entry {
  word: string;
  concept: Concept;
  mask: Mask;
  language: string;
  prefix: boolean;
}

/** Words are filed under their first letters, at most so many: a text is compared with few at each place. */
export const KEY_LENGTH = 4;

/** The lexicon is null before the first text: a program that flags nothing need not wait. */
let lexicon: ReadonlyMap<string, readonly Entry[]> | null = null;

/** Lists the words by their first letters, the shorter ones first. */
export function lexiconOf(): ReadonlyMap<string, readonly Entry[]> {
  lexicon ??= readLexicon();
  return lexicon;
}

function readLexicon(): Map<string, Entry[]> {
  const filed = new Map<string, Entry[]>();
  for (const { language, concept, words } of readData<WordRow>("flags.jsonl")) {
    const mask = maskOf(concept);
    // Folding all words of a concept at once is cheaper than folding each.
    for (const written of folded(words.replaceAll("*", STAR)).split("|")) {
      const prefix = written.endsWith(STAR);
      const word = prefix ? written.slice(0, -1) : written;
      const key = word.slice(0, KEY_LENGTH);
      filed.set(key, [...(filed.get(key) ?? []), { word, concept, mask, language, prefix }]);
    }
  }
  for (const entries of filed.values()) entries.sort((one, other) => one.word.length - other.word.length);
  return filed;
}

/** Stands for the asterisk while words are folded, since folding takes asterisks for decoration. */
const STAR = "\uFDD0";
