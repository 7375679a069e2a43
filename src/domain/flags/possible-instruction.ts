import { bitOf, conceptsIn, type Hit } from "./concepts.ts";
import { folded } from "./fold.ts";
import type { Concept } from "./words/words.ts";

/**
 * Whether a text seems to give orders to a model that reads it: set earlier instructions aside, become someone else,
 * reveal a secret or its own instructions, hide something from its user, take a text for a turn of the conversation.
 *
 * Rules look for words of one language close together in one sentence, in twenty languages. They see through case,
 * accents, look-alike letters and invisible characters, not through plain persuasion.
 */
export function looksLikeInstruction(text: string): boolean {
  if (FALSE_TURN.test(text) || HIDDEN_COMMENT.test(text) || CIPHERED.test(text)) return true;
  const words = conceptsIn(folded(text).replace(WRAPPED, " "));
  const hits = words.filter((hit, at) => hit.concept !== "ignore" || !isNegated(words, at));
  return hits.some((hit, at) => hit.concept === "phrase" || hit.concept === "mode" || startsRule(hits, at));
}

/** A line break inside a sentence. Items of a list begin with a sign or end with one. */
const WRAPPED = /(?<=[\p{L},])\n(?=\p{L})/gu;

/** Concepts of one language, close together in one sentence. */
interface Rule {
  needs: readonly Concept[];
  /** Characters from the start of the first to the end of the last. */
  span: number;
  /** Whether they must come in the order given. Languages put verbs first or last, so most need no order. */
  ordered?: true;
  /** The language in which the rule does not hold: English, the commonest, needs more to be sure. */
  except?: "en";
  /** May cross the end of a sentence. */
  across?: true;
}

const RULES: readonly Rule[] = [
  { needs: ["ignore", "prior", "rules"], span: 64 },
  { needs: ["ignore", "rules"], span: 28, except: "en" },
  { needs: ["ignore", "everything"], span: 32 },
  { needs: ["ignore", "and", "say"], span: 64, ordered: true },
  { needs: ["ignore", "say"], span: 40, except: "en" },
  { needs: ["ignore", "doc", "and"], span: 44 },
  { needs: ["ask", "your", "secret"], span: 44 },
  { needs: ["send", "your", "secret"], span: 56, ordered: true },
  { needs: ["ask", "prompt"], span: 64, ordered: true, except: "en" },
  { needs: ["repeat", "prompt"], span: 64, ordered: true },
  { needs: ["persona", "machine"], span: 90 },
  { needs: ["address", "must"], span: 140, ordered: true, across: true },
  { needs: ["hide", "user"], span: 40, ordered: true },
  { needs: ["suppose", "wesay"], span: 120, ordered: true },
  { needs: ["only", "quoted"], span: 40, ordered: true },
  { needs: ["authority", "must"], span: 120, ordered: true, across: true },
];

/** Concepts a fulfilled rule may begin with, as bits: a text of nothing but colons costs little. */
const FIRST = RULES.flatMap(({ needs, ordered }) => (ordered === true ? needs.slice(0, 1) : needs)).reduce(
  (bits, concept) => bits | bitOf(concept),
  0,
);
const SPAN_MAX = Math.max(...RULES.map((rule) => rule.span));
const NEGATION_CHARS = 14;
/** How many words after each one are read. No sentence has more in its span, and the bound keeps the time linear. */
const NEIGHBOURS_MAX = 48;

/** Whether a rule is fulfilled by this word and words after it. */
function startsRule(hits: readonly Hit[], at: number): boolean {
  const first = hits[at];
  if (first === undefined || (FIRST & bitOf(first.concept)) === 0) return false;
  let around = 0;
  let last = at;
  while (last < hits.length && last - at < NEIGHBOURS_MAX) {
    const hit = hits[last];
    if (hit === undefined || hit.end - first.start > SPAN_MAX) break;
    if (hit.language === first.language) around |= bitOf(hit.concept);
    last += 1;
  }
  // Nearly all words stop here, for one comparison per rule.
  const possible = RULES.filter((rule) => rule.needs.every((concept) => (around & bitOf(concept)) !== 0));
  return possible.some((rule) => rule.needs.includes(first.concept) && fulfils(rule, hits, at, last));
}

/** Whether the hits from `at` to before `last` fulfil a rule, with the first of them taking part. */
function fulfils(rule: Rule, hits: readonly Hit[], at: number, last: number): boolean {
  const first = hits[at];
  if (first === undefined || rule.except === first.language) return false;
  if (rule.ordered === true && first.concept !== rule.needs[0]) return false;
  const inReach = (hit: Hit) =>
    hit.end - first.start <= rule.span && (rule.across === true || hit.sentence === first.sentence);
  const open = [...rule.needs];
  let reached = first.start;
  for (const hit of hits.slice(at, last)) {
    if (hit.language !== first.language) continue;
    if (!inReach(hit)) break;
    const wanted = rule.ordered ? 0 : open.indexOf(hit.concept);
    // Words that overlap are one word with two meanings, and count once.
    if (wanted < 0 || open[wanted] !== hit.concept || hit.start < reached) continue;
    open.splice(wanted, 1);
    reached = hit.end;
    if (open.length === 0) return true;
  }
  return false;
}

/** Whether a denial comes before a word: "never ignore the rules above" is good advice. */
function isNegated(hits: readonly Hit[], at: number): boolean {
  const hit = hits[at];
  for (let before = at - 1; hit !== undefined && before >= 0; before -= 1) {
    const other = hits[before];
    if (other === undefined || hit.start - other.end > NEGATION_CHARS) return false;
    if (other.concept === "not" && other.language === hit.language && other.sentence === hit.sentence)
      return other.end <= hit.start;
  }
  return false;
}

/** Marks that separate the turns of a conversation in chat formats, and headings that pose as such marks. */
const FALSE_TURN = new RegExp(
  [
    "<\\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id|eot_id)\\|>",
    "\\[/?inst\\]|<</?sys>>",
    "</?(?:system[-_ ]?(?:prompt|message|instruction|reminder|mode)?s?|tool_calls?|tool_use|function_calls?|function_results?|invoke)>",
    "^[ \\t]{0,8}#{1,6} {0,4}(?:system|system prompt|(?:new )?instructions?) {0,4}:",
    "^[ \\t]{0,8}(?:system|assistant)(?: message| prompt)? {0,4}: {0,4}(?:you|ignore|override|from now|new|disregard|sure|forget|do not|reply|respond|send|the user|all )\\b",
    "\\[system\\]\\(#|\\{\\{#(?:system|assistant|user)~?\\}\\}",
    "[-=#*]{3} {0,4}(?:begin|start|end) (?:of )?(?:the )?(?:system|prompt|user input|input|context|instructions|conversation|document)\\b",
    '"(?:tool_calls|function_call|tool_use)" {0,4}:',
  ].join("|"),
  "im",
);

/**
 * A comment of prose in mark-up: hidden where it is rendered, read where it is not. Comments of mail programs and page
 * builders hold no sentences.
 */
const HIDDEN_COMMENT = /<! ?-- ?(?!\[if|wp:|\/wp:)(?=[^\n]{40})(?:[^\s<>]{1,60}[ :]{1,3}){6}/i;

/** "instruction" and "previous" in all 25 Caesar ciphers, rot13 among them. */
const CIPHERED = new RegExp(
  `\\b(?:${Array.from({ length: 25 }, (_, index) => `${shifted("instruction", index + 1)}|${shifted("previous", index + 1)}`).join("|")})`,
  "i",
);

function shifted(word: string, by: number): string {
  return word.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)),
  );
}
