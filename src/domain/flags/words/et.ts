import type { Words } from "./words.ts";

/** Estonian. */
export const et: Words = {
  ignore: "unusta|eira|ignoreeri",
  prior: "eelnevad|varasemad|koik|eelmised",
  rules: "juhised|juhiseid|reeglid|kasud",
  say: "kirjuta|utle|vasta",
  your: "oma|sinu|kasutaja",
  secret: "parool*|api voti",
  send: "saada|vasta",
};
