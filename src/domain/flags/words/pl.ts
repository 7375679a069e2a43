import type { Words } from "./words.ts";

/** Polish. */
export const pl: Words = {
  not: "nie|nigdy|nikt",
  talk: "wyklad|atak*|oszust*|zdanie|prelekcja|badacz*|artykul|warsztaty|oszukuje",
  ignore:
    "zignoruj*|ignoruj*|zapomnij*|pomin|pominaj|nie zwracaj uwagi|odrzuc|lekcewaz*|zlekcewaz*|zapomnij|zignoruj|porzuc|nie stosuj|nie przestrzegaj|przestan|nie trzymaj sie|zlam",
  void: "nie obowiazuj*|uniewaznion*|odwolane|nieaktualn*",
  prior: "poprzedni*|wczesniejsz*|powyzsz*|wszystk*|swoje|twoje|dotychczasow*|wszystki*|dotad",
  own: "swoj*|twoj*|ci|ktore ci|otrzyman*|otrzymal*",
  rules: "instrukcj*|polecen*|wytyczn*|zasad*|regul*|rozkaz*|prompt*|wskazowk*|polecenia|nakaz*",
  everything:
    "wszystko powyzej|wszystko co|to co powyzej|co ci powiedziano|to, co ci|to, co powyzej|co powyzej",
  newtask: "twoje nowe zadanie|wykonuj tylko|stosuj sie tylko",
  doc: "funkcj*|strone|strona|zyciorys|cv|artykul|dokument|tresc|kod",
  and: "i|oraz|nastepnie|zamiast tego",
  say: "powiedz|stwierdz|napisz|odpowiedz|wydrukuj|podaj|powtorz|oswiadcz|wypisz",
  repeat: "pokaz|powtorz|wypisz|wyswietl|ujawnij|napisz|podaj|przetlumacz|jakie sa|jaki jest|skopiuj",
  ask: "jaki jest|jakie jest|jakie sa|jaka jest|powiedz mi|podaj mi|podaj|ujawnij|pokaz*|daj mi|powiedz|daj",
  your: "twoj*|twe|swoj*|wasz*|uzytkownika|wlasciciela",
  secret:
    "tajny klucz|tajnego klucza|haslo|hasla|klucz api|dane logowania|prompt systemowy|klucz prywatny|klucza api|numer karty|klucz dostepu|poufne dane",
  prompt:
    "prompt systemowy|swoje instrukcje|twoje instrukcje|prompt systemow*|prompt*|instrukcje systemow*|poczatkowe instrukcje|swoje zasady",
  persona:
    "jestes teraz|teraz jestes|od teraz|od tej pory|dzialaj jak|udawaj|wciel sie|zachowuj sie jak|jestes|zachowuj sie|odgrywaj",
  machine: "ai|sztuczn*|model jezykowy|modelem jezykowym|asystent*|chatbot*|dan|bot*|model*",
  free: "bez ograniczen|bez zasad|bez regul|bez filtrow|bez cenzury|nieograniczon*",
  address: "modele jezykowe|asystenci ai|agenci ai|jesli jestes ai|do modeli|uwaga ai|drogie ai",
  must: "musisz|musicie|musza|zawsze|tylko|wylacznie|nalezy",
  sway: "polec*|rekomend*|pierwszym miejscu|jako pierwsz*|najleps*|kup*|kliknij",
  mode: "<tryb systemowy|[tryb systemowy|tryb systemowy aktywowany",
  hide: "nie mow|nic nie mow|bez|nie wspominaj|nie informuj|ukryj|w tajemnicy|nie powiadamiaj",
  user: "uzytkownik*|wlasciciel*",
  secretly: "bez pytania|bez potwierdzenia|potajemnie",
  deed: "kup|zaplac|przelej|zamow|zarezerwuj|usun",
  send: "wyslij|przeslij|podaj|odpowiedz|opublikuj|wklej|przekaz|udostepnij|dolacz",
  only: "odpowiedz tylko|odpowiedz wylacznie|napisz tylko",
  suppose: "hipotetyczn*|w swiecie|wszechswiecie rownoleglym|wyobrazmy|zalozmy|powiedzmy",
  wesay: "moglibysmy|mozemy powiedziec|mozemy stwierdzic|moze byc|mowimy",
  theirs: "uzytkownika|swojego uzytkownika",
  never: "nigdy",
};
