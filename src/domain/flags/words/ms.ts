import type { Words } from "./words.ts";

/** Malay. */
export const ms: Words = {
  ignore: "abaikan|lupakan",
  prior: "sebelum ini|semua|terdahulu|di atas",
  rules: "arahan|peraturan|perintah",
  say: "tulis|katakan|jawab",
  your: "anda|awak|pengguna",
  secret: "kata laluan|kunci api",
  send: "hantar*|balas dengan",
};
