import type { Concept } from "./lexicon.ts";

/** A text asks something of its reader, as concepts of one language close together in one sentence. */
export interface Act {
  /** Of several signs of one kind the strongest counts. */
  kind: string;
  needs: readonly Concept[];
  /** Counts UTF-16 units from the start of the first to the end of the last. */
  span: number;
  /** 1 is enough by itself. */
  weight: number;
  /** The concepts come in the order given. Languages put verbs first or last, so most need no order. */
  ordered?: true;
  /** The act does not count in this language: English, the commonest, needs more to be sure. */
  except?: "en";
  /** It may cross the end of a sentence. */
  across?: true;
}

/** Each act is a sign of something, and weighs this much. */
export const ACTS: readonly Act[] = [
  // These set aside what you were told.
  act("override", 1, 64, ["ignore", "prior", "rules"]),
  act("override", 1, 40, ["ignore", "own", "rules"]),
  act("override", 0.7, 64, ["ignore", "prior", "norms"]),
  act("override", 1, 64, ["ignore", "prior", "prior", "norms"]),
  act("override", 1, 40, ["ignore", "own", "norms"]),
  act("override", 1, 40, ["ignore", "prompt"]),
  act("override", 0.7, 24, ["ignore", "rules"]),
  act("override", 1, 28, ["ignore", "rules"], "en"),
  act("override", 0.9, 40, ["ignore", "everything"]),
  act("override", 1, 64, ["rules", "own", "void"]),
  act("override", 0.8, 64, ["rules", "prior", "void"]),
  act("override", 0.9, 56, ["everything", "void"]),
  act("override", 1, 48, ["prompt", "void"]),
  act("override", 0.5, 48, ["norms", "prior", "void"]),
  act("override", 1, 36, ["ignore", "reader"]),
  act("override", 1, 40, ["ignore", "theirs"]),
  act("override", 0.7, 40, ["ignore", "user"]),
  act("override", 0.7, 36, ["rules", "void"]),
  act("newtask", 0.7, 60, ["newtask"]),
  ordered("divert", 1, 64, ["ignore", "doc", "and", "say"]),
  act("divert", 1, 44, ["ignore", "doc", "and"], "en"),
  ordered("divert", 0.6, 64, ["ignore", "and", "say"]),
  // These want you to be someone else.
  act("persona", 1, 110, ["persona", "free"]),
  act("persona", 0.7, 70, ["persona", "machine"]),
  act("mode", 1, 60, ["mode"]),
  // These want to hear what you were told.
  ordered("extraction", 1, 64, ["repeat", "prompt"]),
  act("extraction", 1, 64, ["ask", "prompt"]),
  act("extraction", 1, 64, ["repeat", "own", "rules"], "en"),
  // These ask to hand over what is not yours.
  act("secret", 1, 44, ["ask", "your", "secret"]),
  act("secret", 1, 64, ["send", "your", "secret"]),
  act("secret", 1, 90, ["send", "secret", "here"]),
  act("secret", 0.6, 64, ["send", "secret"]),
  act("secret", 0.6, 44, ["ask", "secret"]),
  act("private", 1, 56, ["ask", "theirs"]),
  act("private", 1, 56, ["send", "theirs"]),
  act("private", 0.7, 64, ["ask", "user"]),
  act("private", 0.7, 64, ["send", "user"]),
  act("personal", 0.6, 64, ["ask", "personal"]),
  // These use the tools and files that only an agent has.
  act("tool", 1, 60, ["gear", "deed"]),
  act("tool", 1, 60, ["gear", "send"]),
  act("tool", 0.5, 60, ["gear"]),
  // These deceive the person you work for, or leave it out.
  act("conceal", 1, 56, ["hide", "user"]),
  act("conceal", 0.7, 70, ["secretly", "deed"]),
  act("conceal", 0.6, 70, ["hide", "deed"]),
  ordered("deceive", 1, 40, ["tell", "user"]),
  act("private", 0.4, 40, ["user"]),
  // These address you, the machine that reads this.
  act("address", 1, 160, ["address", "sway"], undefined, true),
  act("address", 0.8, 140, ["address", "must"], undefined, true),
  act("address", 1, 140, ["bots", "must", "sway"], undefined, true),
  act("address", 0.5, 60, ["address"]),
  act("address", 0.5, 60, ["reader"]),
  act("address", 0.4, 60, ["bots", "must"]),
  act("sway", 0.5, 60, ["sway"]),
  // These dictate an answer.
  ordered("dictate", 1, 40, ["only", "quoted"]),
  act("dictate", 0.7, 64, ["answer", "shape"]),
  act("dictate", 0.6, 80, ["say", "whenever"]),
  act("dictate", 0.6, 40, ["regardless"]),
  // These set a frame in which rules seem not to hold.
  ordered("suppose", 1, 120, ["suppose", "wesay"]),
  act("suppose", 1, 80, ["suppose", "free"]),
  act("suppose", 0.5, 80, ["suppose", "loose"]),
  act("suppose", 0.6, 110, ["suppose", "secret"]),
  act("suppose", 1, 160, ["suppose", "personal"], undefined, true),
  ordered("authority", 1, 120, ["authority", "must"], true),
  act("authority", 0.6, 60, ["authority"]),
  // These reach beyond this conversation.
  ordered("memory", 1, 70, ["keep", "memory"]),
  act("memory", 0.6, 60, ["memory"]),
  act("spread", 1, 90, ["spread", "posts"]),
  act("spread", 0.6, 60, ["spread"]),
  ordered("decode", 1, 80, ["decode", "obey"], true),
  act("phrase", 1, 200, ["phrase"]),
];

function act(
  kind: string,
  weight: number,
  span: number,
  needs: readonly Concept[],
  except?: "en",
  across?: true,
): Act {
  return { kind, weight, span, needs, ...(except && { except }), ...(across && { across }) };
}

function ordered(kind: string, weight: number, span: number, needs: readonly Concept[], across?: true): Act {
  return { kind, weight, span, needs, ordered: true, ...(across && { across }) };
}
