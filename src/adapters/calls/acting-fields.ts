import { fromJsonText } from "../../schema/scalars.ts";

/** The writer of a field expects this of it, and no call of the board can do it. */
export type Act = "whether" | "who" | "when" | "how long" | "what is told";

/**
 * These words say by themselves what a field does. Only a thing that is named behind makes another field of it
 * (`preview_image`), and not behind a verb (`hide_phone`).
 */
const STRONG: readonly (readonly [Act, RegExp])[] = [
  [
    "whether",
    /^(?:drafts?|dryrun|previews?|(?:un|auto)?publish(?:e[ds]|ing)?|notif(?:y|ied|ies|ications?)|remind(?:ers?|s)?)$/,
  ],
  [
    "whether",
    /^(?:(?:un|auto)?delet(?:e|ed|es|ing|ion)|crosspost(?:ed|ing)?|noop|sandboxed|simulate|unapproved)$/,
  ],
  [
    "who",
    /^(?:visibility|hid(?:e|es|ing)|unhide|audiences?|recipients?|addressees?|unlist(?:ed|ing)?|delist(?:ed)?|bcc)$/,
  ],
  [
    "who",
    /^(?:permissions?|confidential(?:ity)?|anonym\w+|pseudonym\w*|incognito|encrypt(?:ed|ion)?|redact(?:ed)?|acl)$/,
  ],
  [
    "who",
    /^(?:searchable|discoverab\w+|indexable|noindex|viewable|findable|geofenc\w+|allowlist|whitelist|blocklist|denylist)$/,
  ],
  ["who", /^(?:obfuscat\w+|shadowban\w*|nofollow)$/],
  ["when", /^(?:embargo(?:ed|es)?|backdate[ds]?)$/],
  [
    "how long",
    /^(?:expir(?:e|es|ed|y|ing|ation)|ttl|retention|disappear(?:s|ing)?|vanish(?:es|ing)?|selfdestruct|snoozed?)$/,
  ],
  ["how long", /^(?:purged?|destroy(?:ed|s)?|cleanup)$/],
];

/** These say the same in other languages, without accents: whole words by their beginning, since they are inflected. */
const ABROAD: readonly (readonly [Act, RegExp])[] = [
  [
    "whether",
    /^(?:entwurf|brouillon|borrador|bozz[ae]|rascunho|szkic|utkast|kladde|luonnos|taslak|probelauf|simul(?:ieren|er|ar|acion|azione)$|vorschau|apercu)/,
  ],
  [
    "whether",
    /^(?:veroffentlich|publier|publicar|pubblica|publikuj|publicer|publiser|publicat|benachrichtig|notifier|notifica)/,
  ],
  [
    "who",
    /^(?:privat(?!e)|prive(?:es?|s)?$|privad|prywatn|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk|poufn)/,
  ],
  [
    "who",
    /^(?:sichtbar|zichtba|visibil|widoczn|synlig|unsichtbar|versteckt|verborgen|ocult|nascost|nascond|cachees?$|ukryt)/,
  ],
  [
    "who",
    /^(?:geheim|secret[oae]s?$|segret|tajn|hemlig|empfanger|destinatai|destinatari|ontvanger|odbiorc|mottagar|modtager|anonym)/,
  ],
  [
    "when",
    /^(?:geplant|zeitgesteuert|programar|programad|programmat[oaie]$|planifi|ingepland|zaplanowan|schemalag)/,
  ],
  [
    "how long",
    /^(?:ablaufdat|ablaufzeit|verfall|caduc|scadenz|vencimient|validez|verloopt|vervaldat|wygas|utgang|loschen|supprimer|eliminar|borrar|verwijder)/,
  ],
  ["whether", /草稿|下書き|草案|임시|черновик|预览|プレビュー|مسودة/u],
  ["who", /公開|公开|私密|非公|限定|隐藏|비공개|공개|приват|скрыт|видим|секрет/u],
  ["when", /予約|定时|预约|예약|отложен|заплан/u],
  ["how long", /有効期限|过期|만료|истека/u],
];

/** These name parts of the board, or say nothing more: a field of them alone switches something where it is true or false. */
const SWITCHED =
  /^(?:index|feeds?|rss|sitemap|seo|robots|search|webhooks?|syndicat\w+|comments?|replies|really|run|apply|readers?|groups?|crawl\w*|priority)$/;
const VERBS =
  /^(?:hide|unhide|redact|encrypt|anonymi[sz]e|notify|remind|delete|expire|publish|unpublish|unlist)$/;
const THINGS =
  /^(?:ur[li]|link|image|img|photo|picture|video|icon|logo|colou?r|text|title|label|name|note|description|template|style|font|size|year|format|language|place|venue|room|phone|price|fee|cost|discount|by|book|work|house|editor|beer|code|number|count|currency|reference|version|scene)s?$/;

/** These words act where no other word of the name tells a thing: `public` and `is_public`, not `public_transport`. */
const WEAK: readonly (readonly [Act, string])[] = [
  [
    "whether",
    "dry mock sandbox simulation pretend rehearsal validate validated validation confirm confirmed confirmation approve approved approval moderated " +
      "moderation execute commit apply simulated rehearse fake debug activation recall moderate syndicate submit submitted send sending sent resend save saved persist test testing trial staging live status state active " +
      "inactive activate deactivate enable enabled disable disabled pause paused suspend suspended cancel cancelled canceled withdraw withdrawn " +
      "revoke revoked undo rollback remove removed removal close closed queue queued pending hold held silent silently quiet quietly mute muted " +
      "push broadcast forward accept decline skip abort renew extend repost deliver verify publication force overwrite upsert",
  ],
  [
    "who",
    "private privately privacy public publicly visible invisible hidden restrict restricted internal secret secretly protected password passcode login " +
      "robots seo indexed indexing crawl passphrase shadow featured to cc dm direct access share shared sharing scope target targets targeting targeted only listed exclude excluded except block blocked deny " +
      "disallow allow allowed lock locked viewers who whom invitee invitees invite invited readable shown pin pinned sticky boost boosted promote promoted bump distribution distribute gated paywall stealth withhold withheld",
  ],
  [
    "when",
    "schedule scheduled scheduling delay delayed defer deferred postpone postponed release released later reveal unveil",
  ],
  [
    "how long",
    "until till lifetime lifespan ephemeral archive archived temporary temporarily permanent permanently keep retain forever valid timeout destruct",
  ],
];

/** These words beside them tell no thing. */
const EMPTY =
  "is are be was has have had set make made should must can could may do dont does not no non never yet as a an the this that my me mine it its self own " +
  "i you your us we all any each every everyone everybody anyone anybody nobody none some which what when how if then and or of in on at by for from with " +
  "without within into after before since now soon today once just go want wants allows require requires required need needs request requested await awaiting " +
  "auto automatic automatically manual manually force forced immediately immediate instant instantly post posts posting message messages msg item items " +
  "entry entries notice notices content record object resource reply replies response responses respond comment comments thread update updates change changes " +
  "mode modes flag flags option options opt setting settings config configuration rule rules level type kind value date datetime timestamp ts utc iso " +
  "day days hour hours hr hrs minute minutes min mins second seconds sec secs s ms week weeks month months time times user users human member members people " +
  "person persons agent agents follower followers friend friends contact contacts subscriber subscribers publisher publishers reader readers viewer role roles " +
  "group groups team teams circle circles channel channels org organization organisation list lists listing id ids feed feeds search searches result results " +
  "index board site web first last start starts api server run call verified registered logged view views see read write edit editing review reviewed stored " +
  "create created creation operation action actions owner author moderator moderators operator admin admins really initially default max via look page x wait limit limited duplicate duplicates check";

/** The words of these whole names say less alone, or something else (`null`). */
const NAMES: ReadonlyMap<string, Act | null> = new Map(
  (
    [
      [
        "whether",
        "what_if whatif programmer_pour nur_test lint_only explain_only estimate_only ask_before_posting no_op no_write needs_review review_first review_required requires_review in_review check_only plan_only demo_mode",
      ],
      [
        "whether",
        "webhook_url callback_url on_success auto_reply auto_respond ask_first ask_user email_me is_demo is_fake dont_post do_not_post no_post on_conflict",
      ],
      [
        "who",
        "access_code staff_only no_index no_feed no_rss no_search no_syndication dont_index show_email show_phone show_contact show_address show_author show_location show_to show_only_to show_in_search display_to for_whom",
      ],
      [
        "who",
        "email_to mail_to reveal_contact mask_email mask_phone assignee assigned_to assign_to geo_targeting geo_restriction age_gate members for_members intended_for attn",
      ],
      [
        "when",
        "post_when start_showing show_on launch_at activation_date post_at post_on post_after post_date post_time not_before show_from show_after show_at display_from display_at effective_from effective_at",
      ],
      [
        "how long",
        "show_until display_until max_views view_limit view_once burn_after_reading not_after run_days listing_days post_days take_down_at takedown_at",
      ],
      [
        null,
        "disabled_access show_time showtime release_date send_cv target_group closed_on lock_type launch_date shadow_play accept_terms how_to who_is_it_for test_results",
      ],
    ] as const
  ).flatMap(([act, names]) => names.split(" ").map((name): [string, Act | null] => [name, act])),
);

/** These words act in a saved query, beside those that act everywhere; they may measure such things there. */
const OF_WATCHES =
  "max min maximum minimum below above under over exclude excluded excluding excludes except without not frequency freq interval digest cadence daily " +
  "weekly hourly realtime cooldown throttle batch threshold score sensitivity strictness fuzzy exact times channel channels every quota must webhook callback " +
  "alert alerts";
const MEASURED =
  "price cost budget rent amount eur euro usd gbp relevance distance radius km matches per words terms keywords keyword tags titles sellers sites kinds " +
  "email mail sms telegram slack phone";

const weakOf = new Map(WEAK.flatMap(([act, words]) => words.split(" ").map((word) => [word, act] as const)));
const empty: ReadonlySet<string> = new Set(EMPTY.split(" "));
const ofWatches: ReadonlySet<string> = new Set(OF_WATCHES.split(" "));
const measured: ReadonlySet<string> = new Set(MEASURED.split(" "));

/** `publishAt`, `publish-at` and `PUBLISH_AT` are two words each. */
const wordsOf = (name: string): string[] =>
  name
    .slice(0, 80)
    .normalize("NFD")
    // Marks of other scripts make other letters: ビ is no ヒ.
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");

/** Tells by the words of a name what a field would do; null for one that only describes. */
export function actOf(name: string, ofWatch = false): Act | null {
  const words = wordsOf(name).flatMap(unglued);
  const whole = NAMES.get(words.join("_"));
  if (whole !== undefined) return whole;
  const isOfWatches = (word: string) =>
    ofWatches.has(word) || measured.has(word) || empty.has(word) || weakOf.has(word);
  if (ofWatch && words.some((word) => ofWatches.has(word)) && words.every(isOfWatches)) return "what is told";
  const [first = ""] = words;
  // "published by" names somebody, "viewable by" says who may see it. "Expiry date of the milk" is that of another thing.
  const last = words.at(-1) ?? "";
  const isOfThing = words.includes("of") && !strongOrEmpty(last);
  const isNamed = THINGS.test(last) && !(last === "by" && /[ai]ble$/.test(first));
  const tellsThing = isOfThing || (words.length > 1 && isNamed && !VERBS.test(first));
  const strong = words.map(strongly).find((act) => act !== null);
  if (strong !== undefined) return tellsThing ? null : strong;
  if (!words.every((word) => weakOf.has(word) || empty.has(word))) return null;
  return words.map((word) => weakOf.get(word) ?? null).find((act) => act !== null) ?? null;
}

const strongly = (word: string): Act | null =>
  [...STRONG, ...ABROAD].find(([, root]) => root.test(word))?.[0] ?? null;

const strongOrEmpty = (word: string) => strongly(word) !== null || weakOf.has(word) || empty.has(word);

/** Tells whether a field of this name switches a part of the board on or off. */
const switches = (name: string, value: unknown): boolean => {
  const words = wordsOf(name);
  const isSwitch = typeof value === "boolean" || /^(?:no\w*|none|off|disallow)$/i.test(String(value));
  return (
    isSwitch &&
    words.some((word) => SWITCHED.test(word)) &&
    words.every((word) => SWITCHED.test(word) || empty.has(word))
  );
};

/** Splits `publishat` and `isdraft` into two words each. */
function unglued(word: string): string[] {
  if (strongOrEmpty(word) || NAMES.has(word)) return [word];
  for (let at = 2; at <= word.length - 2; at += 1) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    const acts = (part: string) => part.length >= 4 && (strongly(part) !== null || weakOf.has(part));
    if (empty.has(head) && acts(tail)) return [head, tail];
    if ((empty.has(tail) || tail === "to") && acts(head)) return [head, tail];
  }
  return [word];
}

/** Deeper parts of a field that nobody reads say nothing that its writer relies on. */
const DEPTH_MAX = 6;

/** Names a field that acts, by its dotted path. */
export interface ActingField {
  path: string;
  act: Act;
}

/**
 * Finds the acting fields in one that the operation does not have: itself, those inside of it (`options.dry_run`), and one
 * that only names a choice (`{ "mode": "preview" }`). A null says nothing.
 * @param path  that of the field
 */
export function actingFields(
  name: string,
  value: unknown,
  path: string,
  ofWatch: boolean,
  depth = 0,
): ActingField[] {
  const read = fromJsonText(value);
  if (read === null || read === undefined) return [];
  const act =
    actOf(name, ofWatch) ?? (wordsOf(name).every((word) => empty.has(word)) ? choiceOf(read) : null);
  if (act !== null) return [{ path, act }];
  if (switches(name, read)) return [{ path, act: "who" }];
  if (typeof read !== "object" || depth === DEPTH_MAX) return [];
  return Object.entries(read).flatMap(([key, inner]) =>
    Array.isArray(read)
      ? actingFields("", inner, path, ofWatch, depth + 1)
      : actingFields(key, inner, `${path}.${key}`, ofWatch, depth + 1),
  );
}

/** Tells what a value such as `"preview"` or `["draft"]` asks for. */
function choiceOf(value: unknown): Act | null {
  const chosen = [value]
    .flat()
    .map((one) => (typeof one === "string" && one.length <= 40 ? actOf(one) : null));
  return chosen.find((act) => act !== null) ?? null;
}
