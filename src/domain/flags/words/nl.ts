import type { Words } from "./words.ts";

/** Dutch. */
export const nl: Words = {
  not: "niet|nooit",
  ignore: "negeer*|vergeet|veronachtzaam",
  prior: "vorige*|eerdere*|voorgaande*|bovenstaande*|alle|je|jouw|uw|hierboven",
  rules: "instructie*|opdracht*|aanwijzing*|regels|richtlijn*|prompt*|bevelen",
  everything: "alles hierboven|het bovenstaande|alles wat|al het voorgaande",
  doc: "functie|webpagina|pagina|website|cv|artikel|document|inhoud|code",
  and: "en|dan|vervolgens",
  say: "zeg|zeggen|vermeld*|schrijf*|antwoord*|print*|geef|herhaal*|verklaar*",
  ask: "wat is|wat zijn|vertel me|geef me|geef mij|onthul*|toon|laat zien|deel",
  your: "je|jouw|uw",
  secret: "geheime sleutel|wachtwoord*|api sleutel*|inloggegevens|geheim*|systeemprompt*|prive sleutel",
  prompt: "systeemprompt*|jouw instructies|je instructies|uw instructies",
  persona: "je bent nu|jij bent nu|u bent nu|vanaf nu|doe alsof|gedraag je|speel de rol",
  machine: "ai|taalmodel*|assistent*|chatbot*|dan|ai model*|bot",
  mode: "<systeemmodus|[systeemmodus|systeemmodus geactiveerd",
  suppose: "hypothetisch*|in een wereld|parallel universum|stel je voor|laten we aannemen|stel dat",
  wesay: "kunnen we zeggen|we zeggen|zouden we|kan zijn|we stellen",
};
