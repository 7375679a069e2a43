import type { Words } from "./words.ts";

/** German. */
export const de: Words = {
  not: "nie|niemals|nicht",
  ignore:
    "ignorier*|vergiss|vergesst|vergessen sie|missachte*|beachte nicht|beachten sie nicht|ubergeh*|verwirf|uberspringe*",
  prior:
    "vorherige*|vorige*|bisherige*|obige*|oben|fruhere*|vorangehende*|alle|alles|deine*|ihre*|ursprunglich*|vorangegangen*",
  rules: "anweisung*|instruktion*|vorgabe*|regeln|befehl*|richtlinie*|prompt*|anleitung*",
  everything:
    "alles bisherige|alles vorherige|alles davor|alles oben*|was dir gesagt|das obige|das vorherige",
  doc: "funktion|webseite|website|seite|lebenslauf|artikel|dokument|inhalt|code",
  and: "und|dann|stattdessen",
  say: "sag|sage|sagen|schreib*|gib|geben sie|antworte*|nenn*|erklar*|druck*|behaupte*|wiederhol*",
  ask: "was ist|wie lautet|wie lauten|sag mir|sagen sie mir|gib mir|geben sie mir|verrat*|nenne*|zeig*|teile mir",
  your: "dein*|ihr|ihre|ihren|alle",
  secret:
    "passwort*|kennwort*|geheimschlussel*|geheime* schlussel|geheimer schlussel|schlussel|api schlussel|zugangsdaten|system prompt|systemprompt*|geheimnis*",
  prompt: "systemprompt*|systemanweisung*|deine anweisung*|ihre anweisung*",
  persona:
    "du bist jetzt|du bist nun|sie sind jetzt|ab jetzt bist|von jetzt an|verhalte dich|spiele die rolle|tu so|gib dich als",
  machine: "ki|ki modell|sprachmodell*|assistent*|chatbot*|dan|bot|ki agent*",
  mode: "<systemmodus|[systemmodus|systemmodus aktiviert|sicherheitsuberbruckung aktiviert",
  hide: "ohne es dem|sag dem|ohne dem|verschweige|ohne den",
  user: "nutzer nichts|benutzer nichts|nutzer zu sagen|benutzer zu sagen|benutzer mitzuteilen|nutzer mitzuteilen|nutzer zu informieren|benutzer zu informieren",
  suppose: "hypothetisch*|in einer welt|paralleluniversum|stellen wir uns|nehmen wir an|angenommen",
  wesay: "konnten wir|konnen wir sagen|wir sagen|wir behaupten|wir angeben|die ausgabe",
};
