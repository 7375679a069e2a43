import type { Words } from "./words.ts";

/** Georgian. */
export const ka: Words = {
  ignore: "დაივიწყე|უგულებელყავი|იგნორირება",
  prior: "წინა|ყველა",
  rules: "ინსტრუქცი|მითითებ|წეს|ბრძანებ",
  your: "შენი|თქვენი",
  secret: "პაროლ|გასაღებ",
  send: "გამოგზავნე|გააგზავნე",
};
