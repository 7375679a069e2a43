import type { Words } from "./words.ts";

/** Slovak. */
export const sk: Words = {
  ignore: "zabudni|zabudnite|ignoruj*|vynechaj",
  prior: "predchadzajuce|vsetky|predosle|vyssie|doterajsie",
  own: "svoje|tvoje",
  rules: "pokyny|instrukcie|pravidla|prikazy",
  say: "napis|povedz|odpovedz",
  repeat: "ukaz|zopakuj|vypis|napis|prezrad",
  your: "svoj|svoje|tvoj|pouzivatela",
  secret: "api kluc*|heslo|token",
  prompt: "systemovy prompt|svoje instrukcie|tvoje instrukcie|prompt",
  persona: "odteraz si|teraz si|predstieraj",
  machine: "ai|model|asistent",
  free: "bez obmedzeni|bez pravidiel",
  hide: "nehovor|bez vedomia|bez toho",
  user: "pouzivatel*",
  send: "posli|odpovedz|zverejni|zdielaj",
};
