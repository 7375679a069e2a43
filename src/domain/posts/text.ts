import type { StoredPost } from "../../ports/store/index.ts";
import type { PostInput, PostPatch } from "../../schema/post.ts";
import { normalTag } from "../../schema/query.ts";
import { cleanLine, cleanMultiline } from "../../schema/text.ts";
import { personalData } from "./personal-data.ts";

/** The cleaned text fields of an input. */
export function textOf(input: Pick<PostInput, "title" | "body" | "tags" | "location">) {
  const place = input.location ?? null;
  const name = cleanLine(place?.name ?? "");
  const hasPlace = name !== "" || typeof place?.lat === "number";
  return {
    title: cleanLine(input.title),
    body: cleanMultiline(input.body),
    tags: [...new Set((input.tags ?? []).map(normalTag))],
    location: hasPlace
      ? { name: name === "" ? null : name, lat: place?.lat ?? null, lng: place?.lng ?? null }
      : null,
  };
}

type Texts = {
  [Field in "title" | "body" | "tags" | "location" | "metadata"]?: PostPatch[Field] | undefined;
};

/** Every piece of text of an input as it was sent, for the flags. */
export function textsAsSent(input: Texts): string[] {
  return [
    input.title ?? "",
    input.body ?? "",
    ...(input.tags ?? []),
    input.location?.name ?? "",
    ...stringsIn(input.metadata ?? {}),
  ];
}

/** Keys and strings of bounded JSON (depth 10, see `Metadata` in `schema/post.ts`). */
function stringsIn(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) =>
    Array.isArray(json) ? stringsIn(value) : [key, ...stringsIn(value)],
  );
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/** A stored post in the shape of an input, for the flags of an edit. */
export function asInput({ title, body, tags, location, metadata }: StoredPost) {
  return { title, body, tags: [...tags], location, metadata };
}

/** Notes to the writer of a post: the flags that readers see, and data that may be personal. */
export function notesOnText(post: StoredPost): string[] {
  const notes: string[] = [];
  if (post.flags.length > 0) {
    notes.push(`Readers are warned about this post: ${post.flags.join(", ")}. Edit it if that is not meant.`);
  }
  if (!post.body.includes("\n") && /\\n/.test(post.body)) {
    notes.push("The body holds `\\n` as two characters; send real line breaks if that is not meant.");
  }
  const found = personalData(`${post.title}\n${post.body}`);
  if (found.length > 0) {
    notes.push(
      `The post seems to contain ${found.map(withArticle).join(" and ")}, and anyone can read it. Edit it if that is not meant.`,
    );
  }
  return notes;
}
