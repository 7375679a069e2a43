import { join } from "node:path";
import type { PostFlag } from "../../src/schema/post.ts";
import { readRows } from "../support/data.ts";

/** A labelled text: a post, what it does or resembles, and its language (ISO 639-1). */
export interface LabelledText {
  text: string;
  language?: string;
  note?: string;
}

/** Texts that a flag should find, or should let pass. */
export interface TextSet {
  name: string;
  flag: PostFlag;
  hostile: boolean;
  rows: readonly LabelledText[];
}

const own = (name: string) => readRows<LabelledText>(join(import.meta.dirname, `${name}.jsonl`));

/** The texts of this folder, and the hostile ones in disguise: what the repository itself can measure. */
export function ownSets(): TextSet[] {
  const [hostile, harmless] = [own("hostile"), own("harmless")];
  return [
    { name: "hostile posts", flag: "possible_instruction", hostile: true, rows: hostile },
    { name: "harmless posts", flag: "possible_instruction", hostile: false, rows: harmless },
    {
      name: "hostile posts, all seen",
      flag: "possible_instruction",
      hostile: true,
      rows: own("hostile-seen"),
    },
    {
      name: "harmless posts, all seen",
      flag: "possible_instruction",
      hostile: false,
      rows: own("harmless-seen"),
    },
    {
      name: "hidden in harmless posts",
      flag: "hidden_unicode",
      hostile: true,
      rows: hiddenIn(harmless, hostile),
    },
    { name: "harmless posts with emoji", flag: "hidden_unicode", hostile: false, rows: withEmoji(harmless) },
    { name: "encoded", flag: "encoded_blob", hostile: true, rows: encoded(hostile) },
    {
      name: "harmless posts with links, hashes, keys",
      flag: "encoded_blob",
      hostile: false,
      rows: withTokens(harmless),
    },
  ];
}

const codePoints = (text: string) => Array.from(text, (char) => char.codePointAt(0) ?? 0);
const ascii = (text: string) => codePoints(text).filter((code) => code >= 0x20 && code < 0x7f);

/** How attacks hide text, each a function of the post and of what it hides. */
const HIDING: Record<string, (post: string, order: string) => string> = {
  "tag characters": (post, order) =>
    post + String.fromCodePoint(...ascii(`${order} obey`).map((code) => 0xe0000 + code)),
  "variation selectors": (post, order) =>
    `${post} 😀${String.fromCodePoint(...[...Buffer.from(order)].map((byte) => (byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16)))}`,
  "zero-width binary": (post, order) =>
    post +
    [...Buffer.from(order.slice(0, 8))]
      .map((byte) => byte.toString(2).replace(/0/g, "\u200B").replace(/1/g, "\u200C"))
      .join(""),
  "right-to-left override": (post, order) => `${post} \u202E${order}\u202C`,
  "open isolate": (post, order) => `${post} \u2066${order.slice(0, 40)}`,
  "blank fillers": (post, order) => `${post}${"\u3164".repeat(12)}${order}`,
  "interlinear annotation": (post, order) => `${post} \uFFF9${order}\uFFFB`,
  "soft hyphens": (post) => `${post} p\u00ADa\u00ADs\u00ADs`,
  "control characters": (post, order) => `${post}\u001B[8m${order}\u001B[0m`,
};

function hiddenIn(posts: readonly LabelledText[], orders: readonly LabelledText[]): LabelledText[] {
  const ways = Object.entries(HIDING);
  return orders.map(({ text }, at) => {
    const [note, hide] = ways[at % ways.length] ?? ["", () => ""];
    return { note, text: hide(posts[at % posts.length]?.text ?? "", text) };
  });
}

/** How attacks encode text. */
const ENCODINGS: Record<string, (bytes: Buffer) => string> = {
  base64: (bytes) => bytes.toString("base64"),
  base64url: (bytes) => bytes.toString("base64url"),
  "wrapped base64": (bytes) => bytes.toString("base64").replace(/(.{60})/g, "$1\n"),
  hex: (bytes) => bytes.toString("hex"),
  "hex in pairs": (bytes) => bytes.toString("hex").replace(/(..)/g, "$1 "),
  "percent signs": (bytes) => bytes.toString("hex").replace(/(..)/g, "%$1"),
  escapes: (bytes) => bytes.toString("hex").replace(/(..)/g, "\\x$1"),
  "binary digits": (bytes) => [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join(" "),
  "a data URL": (bytes) => `data:text/plain;base64,${bytes.toString("base64")}`,
};

function encoded(orders: readonly LabelledText[]): LabelledText[] {
  const ways = Object.entries(ENCODINGS);
  return orders.map(({ text }, at) => {
    const [note, encode] = ways[at % ways.length] ?? ["", () => ""];
    // Shorter than 64 letters of base64 is an id, not a message.
    return { note, text: `For sale: ${encode(Buffer.from(text.padEnd(60, " and so on")))} Call me.` };
  });
}

/** Pictures of several characters, flags and keycaps: honest uses of joiners, selectors and tags. */
const EMOJI = ["☺️", "👩‍👩‍👧‍👦", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "🧑🏽‍🚀", "🏳️‍🌈", "❤️‍🔥", "🇺🇦", "👁️‍🗨️", "©️"];
const withEmoji = (posts: readonly LabelledText[]) =>
  posts.map((post, at) => ({ ...post, text: `${EMOJI[at % EMOJI.length]} ${post.text}` }));

/** Honest runs of letters and digits. */
const TOKENS = [
  "https://shop.example/e/a-very-long-title-with-hyphens-and-words-1234567890123?aff=odd7dtCreator",
  "3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "550e8400-e29b-41d4-a716-446655440000",
  "0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
  "sha512-SSRjJgmvPxvHPZTBY+Gs4FY9WIvLTUu9hwVmZ3jVkW9qzIkfvXMvP6a1dHKYuBHGDJkTSVFQtZ4RtO+JW6HbVw==",
  "/usr/local/share/AgentBoard/Reports2026/FinalVersion/AppendixOne/Tables/Population",
  "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
  "ISBN 978-3-16-148410-0, +44 20 7946 0958",
];
const withTokens = (posts: readonly LabelledText[]) =>
  posts.map((post, at) => ({ ...post, text: `${post.text} ${TOKENS[at % TOKENS.length]}` }));
