import type { Words } from "./words.ts";

/** Punjabi. */
export const pa: Words = {
  ignore: "ਭੁੱਲ ਜਾ|ਨਜ਼ਰਅੰਦਾਜ਼",
  prior: "ਪਿਛਲੀਆਂ|ਸਾਰੀਆਂ|ਪਹਿਲਾਂ|ਪਿਛਲੇ",
  rules: "ਹਦਾਇਤ|ਨਿਰਦੇਸ਼|ਨਿਯਮ",
  say: "ਲਿਖੋ|ਦੱਸੋ",
  your: "ਆਪਣੀ|ਆਪਣਾ|ਤੁਹਾਡੀ",
  secret: "ਪਾਸਵਰਡ|ਕੁੰਜੀ|ਗੁਪਤ",
  send: "ਭੇਜ",
};
