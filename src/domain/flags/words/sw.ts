import type { Words } from "./words.ts";

/** Swahili. */
export const sw: Words = {
  not: "kamwe|usi*",
  ignore: "sahau|puuza|achana na",
  prior: "yote|awali|yaliyotangulia|zote|iliyopita|ya juu|za awali",
  own: "yako|zako|uliyopewa",
  rules: "maagizo|maelekezo|amri|kanuni|sheria",
  say: "andika|sema|jibu",
  repeat: "onyesha|rudia|andika|toa|ni nini",
  ask: "ni nini|niambie|nipe|onyesha",
  your: "yako|lako|wako|ya mtumiaji",
  secret: "ufunguo wa api|nenosiri|nywila",
  prompt: "maagizo yako|maagizo ya mfumo|maagizo ya awali",
  persona: "sasa wewe|kuanzia sasa|jifanye|wewe ni",
  machine: "akili bandia|msaidizi|ai|modeli",
  free: "bila vikwazo|bila mipaka|bila sheria",
  hide: "bila kumwambia|usimwambie|bila kumjulisha|ficha",
  user: "mtumiaji",
  send: "tuma|jibu kwa|chapisha|shiriki",
};
