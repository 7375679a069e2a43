import type { Words } from "./words.ts";

/** Latvian. */
export const lv: Words = {
  ignore: "ignore|ignorejiet|aizmirsti|neievero",
  prior: "ieprieksej*|visas|visus",
  rules: "noradijum*|instrukcij*|noteikum*|paveles",
  say: "raksti|saki|atbildi",
  your: "savu|tavu|lietotaja",
  secret: "parol*|atslegu",
  send: "nosuti|suti",
};
