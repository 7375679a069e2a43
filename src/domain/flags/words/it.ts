import type { Words } from "./words.ts";

/** Italian. */
export const it: Words = {
  not: "non|mai|nessuno",
  talk: "incontro|conferenza|attacc*|truff*|la frase|ricercator*|articolo|perche la|serata",
  ignore:
    "ignora|ignori|ignorate|ignorare|dimentica*|scorda*|trascura*|non tenere conto|non considerare|lascia perdere|tralascia|non seguire|trascura|trascurate|smetti di seguire|disobbedisci|non rispettare",
  void: "non valgono piu|annullat*|non si applicano|superate",
  prior: "precedent*|sopra|tutte|tutti|tue|tuoi|vostre|iniziali|prima|che ti hanno dato|ricevute|finora|date",
  own: "tue|tuoi|tuo|tua|che ti hanno|vostre|ti e stato|ricevute",
  rules: "istruzion*|indicazion*|direttiv*|regole|ordini|prompt*|comandi|linee guida|direttive|indicazioni",
  everything:
    "tutto quello che|tutto cio che|quanto sopra|quello che ti|tutto il resto|quello che ti hanno|tutto cio che precede|cio che ti e stato|quello che sta sopra|cio che sta sopra",
  newtask: "il tuo nuovo compito|nuove istruzioni:|segui solo|segui soltanto",
  doc: "funzione|pagina web|pagina|sito|curriculum|cv|articolo|documento|contenuto|codice",
  and: "e|ed|poi|invece",
  say: "di'|dì|dichiara|dichiari|dichiarate|afferma*|indica*|scrivi|rispondi|stampa*|mostra*|ripeti|dire",
  repeat: "ripeti|mostra*|rivela*|scrivi|stampa*|dimmi|copia*|traduci|riassumi|quali sono|qual e|elenca",
  ask: "qual e|quali sono|dimmi|dammi|rivela*|mostrami|fornisci*|condividi|ho bisogno",
  your: "tua|tuo|tue|tuoi|vostra|vostro|sua|suo|dell'utente|la tua|del tuo",
  secret:
    "chiave segreta|password|parola d'ordine|chiave api|credenziali|prompt di sistema|chiave privata|chiavi api|numero di carta|cronologia|frase seme",
  prompt:
    "prompt di sistema|tue istruzioni|istruzioni iniziali|prompt iniziale|le tue istruzioni|messaggio di sistema|istruzioni interne|le tue regole",
  persona:
    "ora sei|adesso sei|sei ora|d'ora in poi|da ora in poi|agisci come|fingi di|comportati come|assumi il ruolo|interpreta il ruolo|nel ruolo|sei|comportati|fingi|recita|immagina di essere",
  machine:
    "ia|ai|modello linguistico|modello di ia|modello di intelligenza|assistente*|chatbot|dan|intelligenza artificiale|applicazione",
  free: "senza filtr*|senza restrizion*|senza regole|senza censura|non rifiut*",
  address:
    "agli assistenti|assistenti ia|agenti ia|modelli linguistici|se sei una ia|se sei un'ia|per gli assistenti|alle ia",
  must: "dovete|devi|devono|deve|obbligatoriamente|sempre|soltanto",
  sway: "raccomand*|consigli*|al primo posto|per primo|miglior*|compra*|clicca*",
  mode: "<modalita sistema|[modalita sistema|<modalita di sistema|modalita sistema attivata|modalita di sistema attivata|override di sicurezza|modalita sviluppatore|filtri disattivati",
  hide: "senza|non dire|non dirlo|non menzionare|nascondi|di nascosto|all'insaputa",
  user: "utente|all'utente|l'utente|utenti|il tuo proprietario",
  secretly: "senza chiedere|senza conferma|in segreto",
  deed: "prenota*|compra*|paga*|ordina*|trasferisci",
  send: "rispondi con|invia*|manda*|spedisci|pubblica*|condividi|inoltra*|fornisci|allega*|incolla*|dammi|includi",
  only: "rispondi solo con|rispondi soltanto|rispondi unicamente|scrivi solo|di' solo",
  quoted: "la frase|la parola",
  suppose:
    "ipotetic*|in un mondo|universo parallelo|immaginiamo|supponiamo|diciamo|ai fini di|mondo parallelo|scenario",
  wesay: "potremmo|possiamo dire|potrebbe essere|affermiamo|diciamo che|dichiariamo",
  authority: "sono il tuo sviluppatore|ti autorizzo|l'utente ha gia",
  report: "truff*",
  theirs: "dell'utente|del tuo utente",
  loose: "senza limit*",
  never: "mai",
};
