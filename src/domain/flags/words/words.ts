/** What a word or phrase does in an attack. `../acts.ts` weighs them together; few weigh anything alone. */
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
 * A language's words, general ones rather than quotations of attacks. `|` separates; a final `*` takes any ending
 * (scripts without blanks always do). All is folded as texts are, so accents and case do not matter.
 */
export type Words = Readonly<Partial<Record<Concept, string>>>;
