import type { Words } from "./words.ts";

/** Croatian, Bosnian and Serbian in Latin letters. */
export const hr: Words = {
  not: "nikad|ne",
  talk: "predavanje|napad*|prijevar*|recenica",
  ignore: "zanemari*|ignoriraj*|ignorisi*|zaboravi*",
  prior: "prethodne|prethodna|sve|gornje|ranije|dosadasnje",
  own: "svoje|tvoje",
  rules: "upute|uputstva|instrukcije|pravila|naredbe|zapovijedi",
  say: "napisi|reci|odgovori",
  repeat: "pokazi|prikazi|ponovi|ispisi|napisi|otkrij",
  ask: "koja je|koji je|reci|daj",
  your: "svoj|svoju|tvoj|tvoju|korisnika|korisnikovu",
  secret: "api kljuc*|lozink*|token",
  prompt: "sistemski prompt|sustavni prompt|prompt|svoje upute|tvoje upute|pocetne upute",
  persona: "sada si|od sada|pretvaraj se|ponasaj se",
  machine: "model|asistent|ai",
  free: "bez ogranicenja|bez pravila|bez filtera",
  hide: "bez da|ne govori|nemoj reci|bez znanja",
  user: "korisnik*",
  send: "posalji|odgovori s|objavi|podijeli",
  theirs: "korisnika",
};
