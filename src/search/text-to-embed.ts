/** What the model reads of a post: all its text, the title first, because long texts are cut at the end. */
export function textToEmbed(post: {
  title: string;
  body: string;
  tags: readonly string[];
  placeName: string | null;
}): string {
  const text = `${post.title}. ${post.body}`;
  const more = [...post.tags, post.placeName ?? ""].filter((part) => part !== "");
  return more.length === 0 ? text : `${text}\n${more.join(", ")}`;
}
