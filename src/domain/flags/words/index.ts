import { af } from "./af.ts";
import { am } from "./am.ts";
import { any } from "./any.ts";
import { ar } from "./ar.ts";
import { az } from "./az.ts";
import { bg } from "./bg.ts";
import { bn } from "./bn.ts";
import { ca } from "./ca.ts";
import { cs } from "./cs.ts";
import { da } from "./da.ts";
import { de } from "./de.ts";
import { el } from "./el.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { et } from "./et.ts";
import { fa } from "./fa.ts";
import { fi } from "./fi.ts";
import { fr } from "./fr.ts";
import { gu } from "./gu.ts";
import { he } from "./he.ts";
import { hi } from "./hi.ts";
import { hr } from "./hr.ts";
import { hu } from "./hu.ts";
import { hy } from "./hy.ts";
import { id } from "./id.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { ka } from "./ka.ts";
import { kk } from "./kk.ts";
import { ko } from "./ko.ts";
import { lt } from "./lt.ts";
import { lv } from "./lv.ts";
import { mr } from "./mr.ts";
import { ms } from "./ms.ts";
import { my } from "./my.ts";
import { nl } from "./nl.ts";
import { no } from "./no.ts";
import { pa } from "./pa.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ro } from "./ro.ts";
import { ru } from "./ru.ts";
import { sk } from "./sk.ts";
import { sr } from "./sr.ts";
import { sv } from "./sv.ts";
import { sw } from "./sw.ts";
import { ta } from "./ta.ts";
import { te } from "./te.ts";
import { th } from "./th.ts";
import { tl } from "./tl.ts";
import { tr } from "./tr.ts";
import { uk } from "./uk.ts";
import { ur } from "./ur.ts";
import { uz } from "./uz.ts";
import { vi } from "./vi.ts";
import type { Words } from "./words.ts";
import { zh } from "./zh.ts";

/** The key of the words that are the same in many languages. */
export const ANY = "any";

/** Words by language (ISO 639-1; `tl` for Filipino), and under `any`. */
export const LEXICON: Readonly<Record<string, Words>> = {
  any,
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
  id,
  th,
  tl,
  uk,
  fa,
  ur,
  he,
  sv,
  da,
  no,
  fi,
  cs,
  sk,
  ro,
  hu,
  el,
  bg,
  hr,
  sr,
  ca,
  sw,
  ta,
  te,
  mr,
  gu,
  pa,
  my,
  am,
  az,
  kk,
  uz,
  lt,
  lv,
  et,
  af,
  ka,
  hy,
  ms,
};
