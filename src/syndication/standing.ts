import type { FeedItem } from "./item.ts";
import { type Fields, isFields, listOf } from "./kinds/fields.ts";

/** These fields say how an entry stands, in any letter case and with or without `_`. */
const STANDINGS = new Set("status eventstatus msgtype messagetype scope class visibility".split(" "));
/** These fields do so where they are set at all. */
const FLAGS =
  /^(?:is)?(?:cancell?ed|deleted|removed|withdrawn|postponed|private)$|^(?:cancell?ed|deleted|removed)(?:at|on)$/;
/**
 * Matches what takes place neither then nor at all, warns of nothing, or is not for everyone. An address of schema.org may
 * stand before.
 */
const OFF =
  /^(?:\S*[/#])?(?:event)?(?:cancel(?:l?ed|l?ation)?|postponed|deleted|removed|withdrawn|abgesagt|annull?(?:é|ée|iert|ato|ata|ed)|cancelad[oa]|anulad[oa]|geannuleerd|aflyst|inställd|avlyst|test|exercise|system|draft|error|ack|restricted|private|confidential)(?![\p{L}\d])/iu;
const TENTATIVE = /^(?:\S*[/#])?(?:event)?(?:tentative|provisional)(?![\p{L}\d])/iu;

const keyOf = (name: string) => name.replace(/[^a-z]/gi, "").toLowerCase();
const isSet = (value: unknown) =>
  value != null && value !== false && !/^(?:|false|no|n|0|null|none)$/i.test(String(value).trim());

/**
 * Tells whether an entry, in any format, is called off, a test, an error or not public: it is no post, and ends the one it
 * had.
 */
export const isCalledOff = (fields: Fields): boolean =>
  Object.entries(fields).some(([name, value]) =>
    STANDINGS.has(keyOf(name)) ? OFF.test(String(value).trim()) : FLAGS.test(keyOf(name)) && isSet(value),
  );

/** Reads from the fields of an entry how it stands. */
export function standingOf(fields: Fields): Pick<FeedItem, "cancelled" | "metadata"> {
  const isTentative = Object.entries(fields).some(
    ([name, value]) => STANDINGS.has(keyOf(name)) && TENTATIVE.test(String(value).trim()),
  );
  return { cancelled: isCalledOff(fields), metadata: isTentative ? { status: "tentative" } : {} };
}

/** Gives the identifiers of the alerts that updates and cancellations among these replace; tests replace nothing. */
export function replacedBy(alerts: readonly Fields[]): ReadonlySet<string> {
  const real = alerts.filter(({ status, scope }) => !isCalledOff({ status, scope }));
  const references = real
    .filter(({ msgType, messageType, message_type }) =>
      /^(?:update|cancel)$/i.test(String(msgType ?? messageType ?? message_type)),
    )
    .flatMap(({ references }) =>
      typeof references === "string" ? references.split(/\s+/) : listOf(references),
    );
  const ids = references.flatMap((one) =>
    isFields(one) ? [one["identifier"], one["@id"], one["id"]] : [one, String(one).split(",")[1]],
  );
  return new Set(ids.filter((id): id is string => typeof id === "string" && id !== ""));
}
