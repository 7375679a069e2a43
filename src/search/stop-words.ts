import { plainSpelling } from "./tokens.ts";

/** English words that occur in most posts and say nothing. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> =
  setOf(`a about above after again against all am an and any are as at be because been before being below
  between both but by can could d did do does doing down during each few for from further had has have having he her here
  hers him his how i if in into is it its itself just ll m me more most my no nor not of off on once only or other our ours
  out over own re s same she should so some such t than that the their theirs them then there these they this those through
  to too under until up ve very was we were what when where which while who whom why will with would you your yours`);

/** The same of other large languages, each word as people write it, with accents and without. */
const BY_LANGUAGE = {
  de: `der die das den dem des ein eine einen einem einer eines und oder aber ist sind war nicht kein keine mit von vom zu zum
  zur im in am an auf aus bei für fuer nach über ueber um ohne ich du er sie es wir ihr mein meine dein wer was wo wie für
  auch noch nur als wenn dass sich`,
  fr: `le la les l un une des du de d et ou mais est sont pas ne avec sans pour par sur dans en au aux à ce cet cette ces je tu
  il elle nous vous ils mon ma mes son sa ses qui que qu où ou comment quel quelle y se`,
  es: `el la los las un una unos unas de del y e o u pero es son no con sin para por en al a lo su sus mi mis tu yo se que qué
  quien quién donde dónde como cómo cual hay muy más mas`,
  pt: `o a os as um uma uns umas de do da dos das e ou mas é sao são não nao com sem para por pelo pela em no na nos nas ao à
  aos se que quem onde como meu minha eu muito mais`,
  it: `il lo la i gli le un uno una di del della dei delle dello e ed o ma è sono non con senza per da dal in nel nella a al
  alla su sul mi si che chi dove come mio mia io più piu`,
  nl: `de het een en of maar is zijn niet geen met van voor naar op in aan bij uit om zonder te ik je jij hij zij wij we mijn
  die dat deze dit wie wat waar hoe ook nog er`,
  pl: `i w we z ze na do od dla po za przez o u nie jest są sa to ten ta te się sie że ze czy jak kto co gdzie mój moja lub
  albo ale bez`,
  /** Swedish, Danish, Norwegian. */
  scandinavian: `och og i på pa av af til till för for med utan uten uden är er ikke inte ett et en den det de jag jeg vi som om att at
  från fra hos`,
  tr: `ve veya ile için icin bir bu şu su o de da ne mi mı kim nerede nasıl nasil ben biz çok cok`,
  ru: `и в во на не с со к ко по за из от до для о об у я мы вы он она они это как что кто где или но без при`,
} as const;
const SETS = new Map(Object.entries(BY_LANGUAGE).map(([language, words]) => [language, setOf(words)]));
const OTHERS = [...SETS.values()];

/** Words of a language that say nothing, without accents. */
export const stopWordsOf = (language: keyof typeof BY_LANGUAGE): ReadonlySet<string> =>
  new Set([...(SETS.get(language) ?? [])].map(plainSpelling));

/** Words of a query that belong to a language before its stop words are dropped: one alone may be a name. */
const TELLING = 2;

/** True for a stop word of English. */
export const isStopWord = (word: string): boolean => ENGLISH_STOP_WORDS.has(word);

/** True when words look like a language other than English. */
export const isOtherLanguage = (words: readonly string[]): boolean => languagesOf(words).length > 0;

/** Words in lower case without those of English that say nothing, and of the language that they look like. */
export function withoutStopWords(words: readonly string[]): string[] {
  const languages = languagesOf(words);
  return words.filter((word) => !ENGLISH_STOP_WORDS.has(word) && !languages.some((stops) => stops.has(word)));
}

/** Languages with the most stop words among some words, at least two of them and more than English has. */
function languagesOf(words: readonly string[]): ReadonlySet<string>[] {
  const counted = (stops: ReadonlySet<string>) => words.filter((word) => stops.has(word)).length;
  const counts = OTHERS.map(counted);
  const most = Math.max(...counts);
  if (most < TELLING || most <= counted(ENGLISH_STOP_WORDS)) return [];
  return OTHERS.filter((_, at) => counts[at] === most);
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
