import type { Chrono } from "chrono-node";

/** Tells how a language speaks of days. Words that are English too, or a name, stand here only with what tells them apart. */
export interface DayLanguage {
  /** Without one of these, no text is given to the parser. */
  mayNameDays: RegExp;
  /** Before a word of a day these make it mean something else: "am Morgen", "por la mañana". */
  isNoDay: RegExp;
  /** Opens the end behind, or the one before. */
  from: RegExp;
  until: RegExp;
  /** Before a month these words stand for all of it. Without one, the name of a month may mean something else. */
  inMonth: string;
  /** January comes first. */
  months: readonly string[];
  parser(): Promise<Chrono>;
}

/** Matches whole words, whatever letters they have. */
const words = (alternatives: string) => new RegExp(`(?<![\\p{L}-])(?:${alternatives})(?![\\p{L}])`, "iu");
const before = (alternatives: string) => new RegExp(`(?<!\\p{L})(?:${alternatives})\\s*$`, "iu");

/** Languages are tried in this order. */
export const LANGUAGES: readonly DayLanguage[] = [
  {
    mayNameDays: words("heute|morgen|übermorgen|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend"),
    isNoDay: before("am|guten|jeden|frühen|heute"),
    from: before("ab|seit|von|vom|ab dem"),
    until: before("bis|bis zum|vor|vor dem"),
    inMonth: "im|ab|bis|seit|anfang|mitte|ende",
    months: "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember".split("|"),
    parser: async () => (await import("chrono-node/de")).casual,
  },
  {
    mayNameDays: words("vandaag|vanavond|overmorgen|(?:maan|dins|woens|donder|vrij|zater|zon)dag"),
    isNoDay: before("de|goede|elke"),
    from: before("vanaf|sinds"),
    until: before("tot|tot en met"),
    inMonth: "in|vanaf|tot|begin|eind",
    months: "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december".split(
      "|",
    ),
    parser: async () => (await import("chrono-node/nl")).casual,
  },
  {
    mayNameDays: words(
      "aujourd['’]hui|demain|ce soir|lundi|mardi(?! gras)|mercredi|jeudi|vendredi|samedi|dimanche",
    ),
    isNoDay: before("chaque|lendemain"),
    from: before("à partir d[eu]|depuis(?: le)?|dès(?: le)?"),
    until: before("jusqu['’](?:à|au|en)|avant(?: le)?"),
    inMonth: "en|fin|début|jusqu['’]en|à partir de|au mois de",
    months: "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre".split("|"),
    parser: async () => (await import("chrono-node/fr")).casual,
  },
  {
    mayNameDays: words(
      "hoy|mañana|esta noche|lunes|martes|miércoles|jueves|viernes|(?:el|este) (?:sábado|domingo)",
    ),
    isNoDay: before("la|esta|cada"),
    from: before("a partir del?|desde(?: el)?"),
    until: before("hasta(?: el)?|antes del?"),
    inMonth: "en|desde|hasta|a partir de",
    months: "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre".split(
      "|",
    ),
    parser: async () => (await import("chrono-node/es")).casual,
  },
  {
    mayNameDays: words(
      "oggi|domani|dopodomani|stasera|stanotte|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica",
    ),
    isNoDay: before("ogni"),
    from: before("da|dal|a partire da|a partire dal"),
    until: before("fino ad?|fino al|entro(?: il)?|prima di"),
    inMonth: "a|in|da|fino a|entro",
    months:
      "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre".split(
        "|",
      ),
    parser: async () => (await import("chrono-node/it")).casual,
  },
  {
    mayNameDays: words(
      "hoje|amanhã|(?:segunda|terça|quarta|quinta|sexta)-feira|(?:[nd]?o|neste|este) (?:sábado|domingo)",
    ),
    isNoDay: before("cada"),
    from: before("a partir d[eo]|desde(?: o)?"),
    until: before("até(?: [oà])?|antes d[eo]"),
    inMonth: "em|até|desde|a partir de",
    months: "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro".split(
      "|",
    ),
    parser: async () => (await import("chrono-node/pt")).casual,
  },
];

/** Before the name of a day these mean the one that was. */
export const SINCE = before("seit|sinds|depuis(?: le)?");

/** These name the day after tomorrow, where the parsers read tomorrow or nothing. */
export const AFTER_TOMORROW = words(
  "(?:the )?day after tomorrow|après-demain|pasado mañana|depois de amanhã|overmorgen",
);

const THIS = "diese[sn]?|(?:am|übers)(?= wochen)|ce|cette|est[ea]|nest[ea]|questo|questa|dit|deze";
const NEXT =
  "(?:am )?(?:nächste[snr]?|kommende[snr]?)|(?:le |la )?prochaine?|(?:el |la |n[oa] )?próxim[oa]|(?:il |la )?prossim[oa]|volgende?|komende?";
const NEXT_BEHIND = "prochaine?|que viene|que vem|prossim[oa]";
const WEEKEND = "wochenende|week-?end|fin de semana|finde|fim de semana|fine settimana";
const WEEK = "woche|semaine|semana|settimana|week";
const MONTH = "monat|mois|mes|mês|mese|maand";

/**
 * Matches "dieses Wochenende", "la semaine prochaine", "el mes que viene"; English words behind words of another language
 * too.
 */
export const SPANS = new RegExp(
  `(?<!\\p{L})(?:(?<this>${THIS})|(?<next>${NEXT})|l[ea]|el|il|[oa])\\s+(?:(?<weekend>${WEEKEND})|(?<week>${WEEK})|(?<month>${MONTH}))(?:\\s+(?<behind>${NEXT_BEHIND}))?(?![\\p{L}-])`,
  "iu",
);
