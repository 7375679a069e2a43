import type { Words } from "./words.ts";

/** Czech. */
export const cs: Words = {
  not: "nikdy|ne|nikdo",
  talk: "prednaska|utok*|podvod*|veta|vetu|clanek|vyzkumni*",
  ignore: "zapomen|zapomente|ignoruj*|pomin|preskoc|neber v uvahu",
  prior: "predchozi*|vsechny|vsechna|vyse|predesl*|dosavadni|sve|tve",
  own: "sve|tve|tvoje|svuj|tvuj",
  rules: "pokyny|pokynu|instrukce|pravidla|prikazy|omezeni|smernice",
  say: "napis|rekni|odpovez|vypis",
  repeat: "ukaz|zopakuj|vypis|napis|prozrad|zobraz|jake jsou|jaky je",
  ask: "jake je|jaky je|rekni|dej|ukaz|prozrad",
  your: "sve|svuj|tvuj|tvoje|uzivatele",
  secret: "api klic*|heslo|hesla|token|prihlasovaci|klic api|tajny klic",
  prompt:
    "systemovy prompt|systemove pokyny|sve instrukce|tve instrukce|puvodni pokyny|prompt|systemovou zpravu",
  persona: "jsi nyni|odted|nyni jsi|predstirej|chovej se|jsi",
  machine: "ai|model|asistent|jazykovy model",
  free: "bez omezeni|bez pravidel|bez filtru|neomezen*",
  hide: "nerikej|bez vedomi|aniz|nezminuj|skryj|tajne",
  user: "uzivatel*",
  send: "posli|odpovez|zverejni|sdilej|vloz|preposli",
  theirs: "uzivatele",
  never: "nikdy",
};
