import type { Words } from "./words.ts";

/** Afrikaans. */
export const af: Words = {
  ignore: "ignoreer|vergeet|verontagsaam",
  prior: "vorige|alle|bogenoemde|vroeere",
  rules: "instruksies|opdragte|reels|riglyne",
  say: "skryf|se|antwoord",
  your: "jou|die gebruiker se",
  secret: "wagwoord*|api sleutel",
  send: "stuur|antwoord met",
};
