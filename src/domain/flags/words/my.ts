import type { Words } from "./words.ts";

/** Burmese. */
export const my: Words = {
  ignore: "မေ့|လျစ်လျူရှု",
  prior: "ယခင်|အားလုံး|အရင်",
  rules: "ညွှန်ကြားချက်|အမိန့်|စည်းမျဉ်း",
  your: "သင့်|သင်၏",
  secret: "စကားဝှက်|လျှို့ဝှက်",
  send: "ပို့",
};
