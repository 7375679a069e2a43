import type { Words } from "./words.ts";

/** Swedish. */
export const sv: Words = {
  not: "aldrig|inte|ingen",
  talk: "foredrag|attack*|bedrag*|meningen|artikel|forskare|lurar",
  ignore: "ignorera|glom|bortse fran|strunta i|hoppa over",
  prior: "tidigare|alla|ovan|ovanstaende|foregaende|dina",
  own: "dina|din|ditt|du fatt",
  rules: "instruktion*|regler|riktlinjer|order|anvisning*|systemprompt*",
  everything: "allt du blivit|allt ovan",
  say: "skriv|sag|svara",
  repeat: "visa|upprepa|skriv ut|skriv|avsloja|aterge|vad ar|vilka ar",
  ask: "vad ar|ge mig|visa|beratta",
  your: "din|ditt|dina|anvandarens",
  secret: "api nyckel*|losenord*|inloggning*",
  prompt: "systemprompt*|dina instruktioner|ursprungliga instruktioner|systemmeddelande*",
  persona: "du ar nu|fran och med nu|lat som|agera som|du ar",
  machine: "ai|sprakmodell*|assistent|modell",
  free: "utan begransning*|utan regler|utan filter|obegransad*",
  address: "ai assistenter|ai agenter|sprakmodeller|om du ar en ai",
  must: "maste|ska|alltid|bara",
  sway: "rekommendera*|forst|basta|kop",
  hide: "utan att|beratta inte|namn inte|dolj",
  user: "anvandaren|anvandare",
  send: "skicka|svara med|posta|dela|lagg upp|bifoga",
  theirs: "anvandarens",
  never: "aldrig",
};
