import type { Words } from "./words.ts";

/** Uzbek. */
export const uz: Words = {
  ignore: "unut|e'tiborga olma|etiborsiz",
  prior: "oldingi|barcha|avvalgi",
  rules: "ko'rsatma*|korsatma*|qoida*|buyruq*",
  say: "yoz|ayt",
  your: "o'z|sening|foydalanuvchi",
  secret: "parol*",
  send: "yubor",
};
