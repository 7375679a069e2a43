import type { Words } from "./words.ts";

/** Polish. */
export const pl: Words = {
  not: "nie|nigdy",
  ignore: "zignoruj*|ignoruj*|zapomnij*|pomin|pominaj|nie zwracaj uwagi|odrzuc|lekcewaz*|zlekcewaz*",
  prior: "poprzedni*|wczesniejsz*|powyzsz*|wszystk*|swoje|twoje|dotychczasow*",
  rules: "instrukcj*|polecen*|wytyczn*|zasad*|regul*|rozkaz*|prompt*|wskazowk*",
  everything: "wszystko powyzej|wszystko co|to co powyzej",
  doc: "funkcj*|strone|strona|zyciorys|cv|artykul|dokument|tresc|kod",
  and: "i|oraz|nastepnie|zamiast tego",
  say: "powiedz|stwierdz|napisz|odpowiedz|wydrukuj|podaj|powtorz|oswiadcz|wypisz",
  ask: "jaki jest|jakie jest|jakie sa|jaka jest|powiedz mi|podaj mi|podaj|ujawnij|pokaz*|daj mi",
  your: "twoj*|twe|swoj*|wasz*",
  secret:
    "tajny klucz|tajnego klucza|haslo|hasla|klucz api|dane logowania|sekret*|prompt systemowy|klucz prywatny",
  prompt: "prompt systemowy|swoje instrukcje|twoje instrukcje",
  persona: "jestes teraz|teraz jestes|od teraz|od tej pory|dzialaj jak|udawaj|wciel sie|zachowuj sie jak",
  machine: "ai|sztuczn*|model jezykowy|modelem jezykowym|asystent*|chatbot*|dan|bot*",
  mode: "<tryb systemowy|[tryb systemowy|tryb systemowy aktywowany",
  suppose: "hipotetyczn*|w swiecie|wszechswiecie rownoleglym|wyobrazmy|zalozmy|powiedzmy",
  wesay: "moglibysmy|mozemy powiedziec|mozemy stwierdzic|moze byc|mowimy",
};
