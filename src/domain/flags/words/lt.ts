import type { Words } from "./words.ts";

/** Lithuanian. */
export const lt: Words = {
  ignore: "ignoruok|pamirsk|nepaisyk",
  prior: "ankstesni*|visus|visas|ankstesn*",
  rules: "nurodym*|instrukcij*|taisykl*|komand*",
  say: "parasyk|sakyk|atsakyk",
  your: "savo|tavo|naudotojo",
  secret: "slaptazod*|rakt*|prieigos",
  send: "atsiusk|siusk|issiusk",
};
