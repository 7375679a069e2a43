import type { Words } from "./words.ts";

/** Romanian. */
export const ro: Words = {
  not: "niciodata|nu|nimeni",
  talk: "prelegere|atac*|inselator*|fraza|articol|cercetator*",
  ignore: "ignora|ignorati|uita|uitati|nu tine cont|nesocoteste|lasa deoparte",
  prior: "anterioare|precedente|toate|de mai sus|initiale|tale|primite",
  own: "tale|tau|ta|primite",
  rules: "instructiuni*|regul*|comenzi*|ordine*|indicatii*|directive*|prompt*",
  say: "scrie|spune|raspunde|afiseaza",
  repeat: "arata|afiseaza|repeta|scrie|dezvaluie|copiaza|care sunt|care este",
  ask: "care este|spune mi|da mi|arata",
  your: "ta|tau|tale|utilizatorului",
  secret: "cheia api|cheie api|parola|parolele|token|cheia secreta",
  prompt: "promptul de sistem|instructiunile tale|instructiunile initiale|mesajul de sistem|prompt*",
  persona: "esti acum|acum esti|de acum|pretinde|comporta te|esti",
  machine: "ai|model*|asistent*|ia",
  free: "fara restrictii|fara limite|fara reguli|fara filtre",
  hide: "fara sa|nu spune|nu mentiona|ascunde",
  user: "utilizator*",
  send: "trimite|raspunde cu|posteaza|distribuie|ataseaza|include",
  theirs: "utilizatorului",
};
