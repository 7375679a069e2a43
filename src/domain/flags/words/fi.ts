import type { Words } from "./words.ts";

/** Finnish. */
export const fi: Words = {
  not: "ala koskaan|ala|alkaa|ei",
  talk: "luento|hyokkays*|huijaus*|lause|artikkeli|tutkija*",
  ignore: "unohda|jata huomiotta|ohita|sivuuta|ala valita",
  prior: "aiemmat|aiempia|kaikki|edelliset|edellisia|ylla olevat|yllaolevat|aikaisemmat",
  own: "sinun|omat|saamasi|ohjeesi",
  rules: "ohjeet|ohjeita|ohjeesi|saannot|saantoja|kaskyt|kehote|kehotteet|jarjestelmakehote",
  say: "vastaa|kirjoita|sano|tulosta",
  repeat: "nayta|toista|kirjoita|tulosta|paljasta|mika on|mitka ovat",
  ask: "mika on|kerro|anna|nayta",
  your: "sinun|kayttajan|oma|api",
  secret: "api avai*|salasana*|avaimesi|tunnukset",
  prompt: "jarjestelmakehot*|systeemikehot*|alkuperaiset ohjeet|alkuperaisia ohjeita|ohjeesi|ohjeistuksesi",
  persona: "olet nyt|tasta lahtien|esita|teeskentele|toimi kuin",
  machine: "tekoaly|kielimalli*|avustaja|malli|botti",
  free: "ilman rajoituksia|ilman saantoja|rajoittamaton|ilman suodattimia",
  hide: "kertomatta|ala kerro|ala mainitse|ilman etta|salaa",
  user: "kayttaja*",
  send: "laheta|vastaa|julkaise|jaa|liita",
  theirs: "kayttajan",
};
