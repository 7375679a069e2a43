import type { Words } from "./words.ts";

/** Azerbaijani. */
export const az: Words = {
  ignore: "unut|nezere alma|gormezden gel",
  prior: "evvelki|butun|yuxaridaki",
  rules: "telimat*|qayda*|emr*|gosteris*",
  say: "yaz|de|cavab ver",
  your: "oz|senin|istifadecinin",
  secret: "parol*|sifre*",
  hide: "xeber vermeden|demeden",
  user: "istifadeci*",
  send: "gonder",
};
