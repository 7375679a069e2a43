import { ar } from "./ar.ts";
import { bn } from "./bn.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { hi } from "./hi.ts";
import { id } from "./id.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { nl } from "./nl.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { th } from "./th.ts";
import { tl } from "./tl.ts";
import { tr } from "./tr.ts";
import { vi } from "./vi.ts";
import type { Words } from "./words.ts";
import { zh } from "./zh.ts";

export const LEXICON: Readonly<Record<string, Words>> = {
  en,
  de,
  fr,
  es,
  pt,
  it,
  nl,
  pl,
  ru,
  tr,
  ar,
  hi,
  bn,
  zh,
  ja,
  ko,
  vi,
  th,
  id,
  tl,
};
