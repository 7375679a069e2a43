import type { Words } from "./words.ts";

/** Amharic. */
export const am: Words = {
  ignore: "ችላ በል|እርሳ|ተው",
  prior: "የቀድሞ|ቀዳሚ|ሁሉንም|ያለፉ",
  rules: "መመሪያ|ትዕዛዝ|ደንብ",
  your: "የእርስዎ|ያንተ",
  secret: "የይለፍ ቃል|ቁልፍ|ሚስጥር",
  send: "ላክ",
};
