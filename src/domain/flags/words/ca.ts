import type { Words } from "./words.ts";

/** Catalan. */
export const ca: Words = {
  ignore: "ignora|oblida|no facis cas",
  prior: "anteriors|totes|previes|de dalt",
  own: "teves|teu",
  rules: "instruccions|regles|ordres|normes|indicacions",
  say: "digues|escriu|respon",
  repeat: "mostra|repeteix|escriu|revela|copia",
  your: "teva|teu|de l'usuari",
  secret: "clau api|clau secreta|contrasenya*|credencials",
  prompt: "prompt de sistema|instruccions inicials|les teves instruccions",
  persona: "ara ets|a partir d'ara|fes com si",
  machine: "ia|assistent|model",
  free: "sense restriccions|sense limits|sense filtres",
  hide: "sense dir|no diguis|amaga|sense avisar",
  user: "usuari",
  send: "envia|respon amb|publica|comparteix",
};
