import type { Words } from "./words.ts";

/** Filipino. */
export const tl: Words = {
  not: "huwag",
  ignore: "huwag pansinin|balewalain|kalimutan|hindi pansinin|isantabi|huwag sundin",
  prior: "nakaraang|naunang|nauna|lahat|sa itaas|dati*|iyong",
  rules: "tagubilin|instruksyon*|utos|panuto|alituntunin|patakaran|direksyon*|direksiyon*|mga instruction*",
  everything: "lahat ng nasa itaas|ang lahat ng sinabi|lahat ng sinabi",
  doc: "function|webpage|pahina|resume|artikulo|dokumento|nilalaman|code",
  and: "at|saka|pagkatapos",
  say: "sabihin*|sabihing|isaad|isulat|sumagot|i print|ilimbag|ulitin|sabihin mo|state|ipahayag|ilagay",
  ask: "ano|sabihin mo sa akin|bigyan mo ako|ibigay|ibunyag|ipakita",
  your: "iyong|mo|inyong",
  secret: "lihim na susi|secret key|password|susi|lihim",
  persona:
    "ikaw ay ngayon|ikaw na ngayon|ngayon ay ikaw|mula ngayon|magpanggap|kumilos bilang|gampanan|papel ng|ka na ngayong",
  machine: "ai|modelo ng wika|katulong|chatbot|dan|bot|assistant|application",
  mode: "<system mode|[system mode|<mode ng sistema|mode ng system activated",
  suppose:
    "hypothetical|sa isang mundo|parallel universe|isipin natin|ipagpalagay|sabihin natin|kahilera|senaryo|mundo kung saan",
  wesay:
    "maaari nating sabihin|maaaring sabihin|pwede nating|maaaring|sasabihin natin|masasabi natin|sinasabi natin",
};
