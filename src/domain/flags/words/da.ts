import type { Words } from "./words.ts";

/** Danish. */
export const da: Words = {
  not: "aldrig|ikke|ingen",
  talk: "foredrag|angreb|svindel|saetningen|artikel|forsker*",
  ignore: "ignorer|glem|se bort fra|tilsidesaet",
  prior: "tidligere|alle|ovenstaende|forrige|dine",
  own: "dine|din|dit|du har faet",
  rules: "instruktion*|instrukser|regler|retningslinjer|ordrer|anvisning*|systemprompt*",
  everything: "alt ovenfor|alt hvad du er blevet fortalt",
  say: "skriv|sig|svar",
  repeat: "vis|gentag|skriv|afslor|hvad er|hvilke",
  ask: "hvad er|giv mig|vis|fortael",
  your: "din|dit|dine|brugerens",
  secret: "api nogle*|adgangskode*|kodeord*",
  prompt: "systemprompt*|dine instruktion*|oprindelige instruktion*|systembesked*",
  persona: "du er nu|fra nu af|lad som om|opfor dig",
  machine: "ai|sprogmodel*|assistent|model",
  free: "uden begraensning*|uden regler|uden filtre|ubegraenset",
  hide: "uden at|fortael ikke|naevn ikke|skjul",
  user: "brugeren|bruger",
  send: "send|svar med|del|opslag|vedhaeft|indsaet",
  theirs: "brugerens",
};
