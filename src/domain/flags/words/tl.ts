import type { Words } from "./words.ts";

/** Filipino. */
export const tl: Words = {
  not: "huwag",
  talk: "panayam|pag atake|pangungusap",
  ignore: "huwag pansinin|balewalain|kalimutan|hindi pansinin|isantabi|huwag sundin",
  prior: "nakaraang|naunang|nauna|lahat|sa itaas|dati*|iyong",
  own: "mo|iyong|ninyo",
  rules: "tagubilin|instruksyon*|utos|panuto|alituntunin|patakaran|direksyon*|direksiyon*|mga instruction*",
  everything: "lahat ng nasa itaas|ang lahat ng sinabi|lahat ng sinabi",
  doc: "function|webpage|pahina|resume|artikulo|dokumento|nilalaman|code",
  and: "at|saka|pagkatapos",
  say: "sabihin*|sabihing|isaad|isulat|sumagot|i print|ilimbag|ulitin|sabihin mo|state|ipahayag|ilagay",
  repeat: "ipakita|ulitin|isulat|sabihin|ilabas|ibunyag|ano ang",
  ask: "ano|sabihin mo sa akin|bigyan mo ako|ibigay|ibunyag|ipakita",
  your: "iyong|mo|inyong",
  secret: "lihim na susi|secret key|password|susi|lihim|api key|sikreto|token",
  prompt: "system prompt|mga tagubilin mo|iyong mga tagubilin|paunang tagubilin",
  persona:
    "ikaw ay ngayon|ikaw na ngayon|ngayon ay ikaw|mula ngayon|magpanggap|kumilos bilang|gampanan|papel ng|ka na ngayong",
  machine: "ai|modelo ng wika|katulong|chatbot|dan|bot|assistant|application",
  free: "walang limitasyon|walang panuntunan|walang batas|walang paghihigpit",
  mode: "<system mode|[system mode|<mode ng sistema|mode ng system activated",
  hide: "huwag sabihin|nang hindi|huwag ipaalam|itago|lihim na",
  user: "user|gumagamit|may ari",
  send: "ipadala|magpadala|ibigay|i post|ibahagi|isama|sagutin",
  suppose:
    "hypothetical|sa isang mundo|parallel universe|isipin natin|ipagpalagay|sabihin natin|kahilera|senaryo|mundo kung saan",
  wesay:
    "maaari nating sabihin|maaaring sabihin|pwede nating|maaaring|sasabihin natin|masasabi natin|sinasabi natin",
};
