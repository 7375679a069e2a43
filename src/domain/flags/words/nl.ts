import type { Words } from "./words.ts";

/** Dutch. */
export const nl: Words = {
  not: "niet|nooit|niemand|geen",
  talk: "lezing|aanval*|oplichting|onderzoeker*|de zin|artikel|misleid*|workshop",
  ignore:
    "negeer*|vergeet|veronachtzaam|negeer|sla over|volg niet|houd geen rekening|stop met volgen|houd je niet aan|houd je niet meer aan",
  void: "geldt niet meer|gelden niet meer|vervallen|ingetrokken",
  prior:
    "vorige*|eerdere*|voorgaande*|bovenstaande*|alle|je|jouw|uw|hierboven|tot nu toe|eerdere|vorige|gegeven|bovenstaande",
  own: "je|jouw|uw|dat je|je is|je gekregen",
  rules:
    "instructie*|opdracht*|aanwijzing*|regels|richtlijn*|prompt*|bevelen|instructies|opdrachten|richtlijnen|systeemprompt",
  everything:
    "alles hierboven|het bovenstaande|alles wat|al het voorgaande|wat je tot nu toe|wat je is opgedragen|wat je verteld|alles wat je is|wat hierboven staat",
  newtask: "volg alleen|je nieuwe taak|nieuwe instructies:|alleen deze tekst",
  doc: "functie|webpagina|pagina|website|cv|artikel|document|inhoud|code",
  and: "en|dan|vervolgens",
  say: "zeg|zeggen|vermeld*|schrijf*|antwoord*|print*|geef|herhaal*|verklaar*",
  repeat: "toon|herhaal|laat zien|schrijf|geef|onthul|print|kopieer|vertaal|vertel|wat zijn|wat is",
  ask: "wat is|wat zijn|vertel me|geef me|geef mij|onthul*|toon|laat zien|deel|geef|vertel|noem",
  your: "je|jouw|uw|van de gebruiker|van je gebruiker",
  secret:
    "geheime sleutel|wachtwoord*|api sleutel*|inloggegevens|systeemprompt*|prive sleutel|pincode|creditcard*|gespreksgeschiedenis",
  prompt:
    "systeemprompt*|jouw instructies|je instructies|uw instructies|systeembericht|oorspronkelijke instructies|je regels",
  persona: "je bent nu|jij bent nu|u bent nu|vanaf nu|doe alsof|gedraag je|speel de rol|je bent",
  machine: "ai|taalmodel*|assistent*|chatbot*|dan|ai model*|bot|chatbot",
  free: "zonder beperking*|zonder regels|zonder filter*|onbeperkt*|ongefilterd*|zonder grenzen",
  address: "ai assistenten|ai agents|ai modellen|taalmodellen|als je een ai|aan alle ai|beste ai",
  must: "moeten|moet|altijd|uitsluitend|alleen|verplicht",
  sway: "aanbevelen|aanbeveel|beveel*|eerste plaats|bovenaan|beste|koop|klik*",
  mode: "<systeemmodus|[systeemmodus|systeemmodus geactiveerd",
  hide: "zonder|vertel niet|niet vertellen|zeg niet|verberg|verzwijg|noem niet|stiekem",
  user: "gebruiker*|je baas|je eigenaar",
  secretly: "zonder te vragen|zonder bevestiging|in het geheim",
  deed: "bestel*|koop|betaal*|maak over|boek",
  send: "stuur|zend|verstuur|antwoord met|reageer met|plaats|deel|mail|plak|upload|geef",
  only: "antwoord alleen met|antwoord uitsluitend|schrijf alleen|zeg alleen",
  suppose: "hypothetisch*|in een wereld|parallel universum|stel je voor|laten we aannemen|stel dat",
  wesay: "kunnen we zeggen|we zeggen|zouden we|kan zijn|we stellen",
  theirs: "van de gebruiker|van je gebruiker",
  never: "nooit",
};
