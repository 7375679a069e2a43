import type { Words } from "./words.ts";

/** Kazakh. */
export const kk: Words = {
  ignore: "ұмыт|елеме",
  prior: "алдыңғы|барлық|бұрынғы",
  rules: "нұсқау*|ереже*|бұйрық*",
  your: "өз|сенің",
  secret: "құпиясөз*|кілт*",
  send: "жібер",
};
