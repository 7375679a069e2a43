import type { Words } from "./words.ts";

/** Hungarian. */
export const hu: Words = {
  not: "soha|ne|senki",
  talk: "eloadas|tamadas*|csalas*|mondat|cikk|kutato*",
  ignore: "felejtsd el|hagyd figyelmen kivul|ne vedd figyelembe|felejtse el|mellozd",
  prior: "korabbi|elozo|osszes|fenti|minden|eddigi|eredeti",
  own: "a te|sajat|kapott",
  rules: "utasitas*|szabaly*|parancs*|iranyelv*|prompt*|eloiras*",
  say: "ird|mondd|valaszold|irj",
  repeat: "mutasd|ismeteld|ird|fedd fel|nyomtasd|mi a|mik a",
  ask: "mi a|mondd|add meg|mutasd",
  your: "a te|felhasznalo|sajat|api",
  secret: "api kulcs*|jelszo*|jelszav*|kulcsod*|token",
  prompt: "rendszerprompt*|rendszeruzenet*|utasitasaid*|eredeti utasitas*|rendszerutasitas*",
  persona: "mostantol|te most|tegyel ugy|viselkedj|most mar",
  machine: "ai|modell*|asszisztens*|mestersges intelligencia|mi",
  free: "korlatozas nelkul*|korlatok nelkul*|szabalyok nelkul*|szuretlen",
  hide: "anelkul|ne mondd|ne emlitsd|titokban|ne szolj",
  user: "felhasznalo*",
  send: "kuldd|valaszolj|tedd kozze|oszd meg|csatold|ird",
  theirs: "felhasznalo",
  never: "soha",
};
