import type { Words } from "./words.ts";

/** Armenian. */
export const hy: Words = {
  ignore: "մոռացիր|անտեսիր",
  prior: "նախորդ|բոլոր",
  rules: "հրահանգ|կանոն|հրաման|ցուցում",
  your: "քո|ձեր",
  secret: "գաղտնաբառ|բանալի",
  send: "ուղարկիր",
};
