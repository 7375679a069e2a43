import type { Words } from "./words.ts";

/** Italian. */
export const it: Words = {
  not: "non|mai",
  ignore:
    "ignora|ignori|ignorate|ignorare|dimentica*|scorda*|trascura*|non tenere conto|non considerare|lascia perdere|tralascia|non seguire",
  prior: "precedent*|sopra|tutte|tutti|tue|tuoi|vostre|iniziali|prima",
  rules: "istruzion*|indicazion*|direttiv*|regole|ordini|prompt*|comandi|linee guida",
  everything: "tutto quello che|tutto cio che|quanto sopra|quello che ti|tutto il resto",
  doc: "funzione|pagina web|pagina|sito|curriculum|cv|articolo|documento|contenuto|codice",
  and: "e|ed|poi|invece",
  say: "di'|dì|dichiara|dichiari|dichiarate|afferma*|indica*|scrivi|rispondi|stampa*|mostra*|ripeti|dire",
  ask: "qual e|quali sono|dimmi|dammi|rivela*|mostrami|fornisci*|condividi|ho bisogno",
  your: "tua|tuo|tue|tuoi|vostra|vostro|sua|suo",
  secret:
    "chiave segreta|password|parola d'ordine|chiave api|credenziali|segreto|segreti|prompt di sistema|chiave privata",
  prompt: "prompt di sistema|tue istruzioni|istruzioni iniziali",
  persona:
    "ora sei|adesso sei|sei ora|d'ora in poi|da ora in poi|agisci come|fingi di|comportati come|assumi il ruolo|interpreta il ruolo|nel ruolo",
  machine:
    "ia|ai|modello linguistico|modello di ia|modello di intelligenza|assistente*|chatbot|dan|intelligenza artificiale|applicazione",
  mode: "<modalita sistema|[modalita sistema|<modalita di sistema|modalita sistema attivata|modalita di sistema attivata|override di sicurezza",
  hide: "senza dirlo|senza dire|senza informare|non dire|non menzionare|non informare",
  user: "utente|utenti|all'utente",
  suppose:
    "ipotetic*|in un mondo|universo parallelo|immaginiamo|supponiamo|diciamo|ai fini di|mondo parallelo|scenario",
  wesay: "potremmo|possiamo dire|potrebbe essere|affermiamo|diciamo che|dichiariamo",
};
