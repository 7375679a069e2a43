import type { Words } from "./words.ts";

/** German. */
export const de: Words = {
  not: "nie|niemals|nicht|kein*|niemand",
  talk: "vortrag*|lesung|lesekreis|workshop|warum|der satz|den satz|satze wie|angriff*|angreifer*|betrug*|forscher*|achtung, betrug|zeitung|artikel|podcast",
  ignore:
    "ignorier*|vergiss|vergesst|vergessen sie|missachte*|beachte nicht|beachten sie nicht|ubergeh*|verwirf|uberspringe*|halte dich nicht|folge nicht mehr|hor auf|missachte|halte dich nicht mehr an",
  void: "gilt nicht mehr|gelten nicht mehr|nicht mehr gultig|aufgehoben|hinfallig|ungultig|uberholt",
  prior:
    "vorherige*|vorige*|bisherige*|obige*|oben|fruhere*|vorangehende*|alle|alles|deine*|ihre*|ursprunglich*|vorangegangen*|bisher|zuvor|vorher|gegebenen|samtliche|erhaltenen",
  own: "dein*|ihre|ihren|dir bisher|was dir|die dir|deines systems",
  rules:
    "anweisung*|instruktion*|vorgabe*|regeln|befehl*|richtlinie*|prompt*|anleitung*|systemprompt*|systemnachricht*|vorgaben|weisung*|sicherheitsrichtlinie*|sicherheitsregel*|sicherheitsvorgabe*|verhaltensregel*",
  everything:
    "alles bisherige|alles vorherige|alles davor|alles oben*|was dir gesagt|das obige|das vorherige|alles, was dir|was dir bisher|alles vergessen was|alles, was du bisher|was man dir gesagt|alles uber dieser|was oben steht|was hier oben|was daruber steht",
  newtask:
    "deine neue aufgabe|neue anweisung*:|nur unsere regeln|folge nur diese*|befolge nur|deine eigentliche aufgabe",
  doc: "funktion|webseite|website|seite|lebenslauf|artikel|dokument|inhalt|code",
  and: "und|dann|stattdessen",
  say: "sag|sage|sagen|schreib*|gib|geben sie|antworte*|nenn*|erklar*|druck*|behaupte*|wiederhol*",
  repeat:
    "gib*|wiederhol*|zeig*|nenn*|verrat*|schreib*|kopier*|ubersetz*|zitier*|liste|druck*|fasse|wie lauten|wie lautet|was steht in|lies",
  ask: "was ist|wie lautet|wie lauten|sag mir|sagen sie mir|gib mir|geben sie mir|verrat*|nenne*|zeig*|teile mir",
  your: "dein*|ihr|ihre|ihren|alle|ihr*|des nutzers|deines nutzers|des benutzers|des anwenders|eur*",
  secret:
    "passwort*|kennwort*|geheimschlussel*|geheime* schlussel|geheimer schlussel|api schlussel|zugangsdaten|system prompt|systemprompt*|api schlussel*|zugangsschlussel*|pin|kreditkarte*|gesprachsverlauf*|chatverlauf*|kontodaten|anmeldedaten|umgebungsvariable*|sitzungscookie*|api key|geheimen schlussel",
  prompt:
    "systemprompt*|systemanweisung*|deine anweisung*|ihre anweisung*|ursprungliche* anweisung*|anfangsanweisung*|deine vorgaben|deine instruktion*|deinen prompt|deine regeln|interne* anweisung*|werkzeuge, die du|tools, die du|werkzeuge du",
  persona:
    "du bist jetzt|du bist nun|sie sind jetzt|ab jetzt bist|von jetzt an|verhalte dich|spiele die rolle|tu so|gib dich als|du bist|ab sofort|stell dir vor, du|ubernimm die rolle|handle als|spiel*",
  machine: "ki|ki modell|sprachmodell*|assistent*|chatbot*|dan|bot|ki agent*",
  free: "ohne einschrankung*|ohne filter|uneingeschrankt*|ungefiltert*|verweigerst nichts|unzensiert*",
  address:
    "an ki|an alle ki|ki assistenten|ki agenten|ki modelle|sprachmodelle|an sprachmodelle|falls du eine ki|wenn du eine ki|liebe ki|achtung ki|bots, die",
  must: "musst|mussen|musst ihr|sollst|sollen|ausschliesslich|immer|unbedingt|nur",
  sway: "empfehl*|empfiehl*|an erste* stelle|an erster|als erste*|bewerte*|zuerst nennen|beste*|bevorzug*|kauf*|klick*",
  mode: "<systemmodus|[systemmodus|systemmodus aktiviert|sicherheitsuberbruckung aktiviert|entwicklermodus|filter deaktiviert|sicherheitsfilter aus",
  hide: "ohne|verschweig*|verheimlich*|nichts|sag* nicht|nicht sagen|nicht erwahn*|erwahne nicht|darf nicht|soll nicht|verbirg|heimlich",
  user: "nutzer*|benutzer*|anwender*|deinem menschen|deinem besitzer|auftraggeber*",
  secretly: "ohne ruckfrage|ohne zu fragen|ohne bestatigung|heimlich|ich erlaube dir|hat zugestimmt",
  deed: "uberweis*|bestell*|kauf*|bezahl*|zahl*|losch*|uberspring*",
  send: "schick*|send*|poste*|antworte*|teile|ubermittel*|leite|gib|hange|lade|fug*|trag*|mail*|hinterlege",
  only: "antworte nur mit|antworte ausschliesslich mit|gib nur|schreib nur|sag nur|antworte nur",
  quoted: "dem satz|dem wort|folgende*",
  suppose:
    "hypothetisch*|in einer welt|paralleluniversum|stellen wir uns|nehmen wir an|angenommen|stell dir vor",
  wesay: "konnten wir|konnen wir sagen|wir sagen|wir behaupten|wir angeben|die ausgabe",
  authority:
    "ich bin dein entwickler|hier spricht dein entwickler|dein entwickler|dein betreiber hat|der nutzer hat zugestimmt|der nutzer hat bereits",
  memory: "merke dir dauerhaft|merk dir fur immer|fur alle kunftigen|in allen kunftigen|langzeitgedachtnis",
  spread: "kopiere diese* text|diesen text in jede*|verbreite diese*|in jeden deiner",
  decode: "entschlussel*|dekodier*",
  obey: "fuhre es aus|fuhre sie aus|tu, was|befolge es|befolge sie",
  report: "angreifer*|betrug*|fragt nach",
  theirs: "des nutzers|deines nutzers|des benutzers|nutzerdaten|daten deines|des anwenders",
  loose: "ohne regeln|ohne grenzen|keine regeln|keine grenzen",
  never: "niemals|nie",
};
