import type { Words } from "./words.ts";

/** Norwegian. */
export const no: Words = {
  not: "aldri|ikke|ingen",
  talk: "foredrag|angrep|svindel|setningen|artikkel|forsker*",
  ignore: "ignorer|glem|se bort fra|overse",
  prior: "tidligere|alle|ovenfor|forrige|dine",
  own: "dine|din|ditt|du har fatt",
  rules: "instruksjon*|instrukser|regler|retningslinjer|ordrer|systemprompt*|systemmelding*",
  everything: "alt ovenfor|alt du har blitt fortalt",
  say: "skriv|si|svar",
  repeat: "vis|gjenta|skriv|avslor|hva er|hvilke",
  ask: "hva er|gi meg|vis|fortell",
  your: "din|ditt|dine|brukerens",
  secret: "api nokkel*|passord*",
  prompt: "systemprompt*|dine instruksjon*|opprinnelige instruksjon*|systemmelding*",
  persona: "du er na|fra na av|lat som|oppfor deg",
  machine: "ai|sprakmodell*|assistent|modell|ki",
  free: "uten begrensning*|uten regler|uten filter|ubegrenset",
  hide: "uten a|fortell ikke|ikke nevn|skjul",
  user: "brukeren|bruker",
  send: "send|svar med|del|legg ved|lim inn",
  theirs: "brukerens",
};
