import { ODD_FORMS } from "./odd-forms.ts";
import { FOUND, PUBLISHED, post, type Situation, step } from "./situation.ts";
import { LADDER } from "./world.ts";

/** Calls as models make them, or as they go when something was lost or misread. */
export const SITUATIONS: readonly Situation[] = [
  // These ids do not exist, or are of another type.
  { name: "a lost subscription", first: () => step("check_subscription", { id: "sub_lost" }) },
  {
    name: "a lost subscription, among the reading tools",
    at: "/mcp/readonly",
    first: () => step("check_subscription", { id: "sub_lost" }),
  },
  {
    name: "an id of a subscription under another name",
    first: ({ subscription }) => step("check_subscription", { subscription_id: subscription }),
  },
  { name: "a mistyped post", first: () => step("get_post", { id: "7fKm3Qx9Rz" }) },
  {
    name: "a mistyped post, among the reading tools",
    at: "/mcp/readonly",
    first: () => step("get_post", { id: "nothing" }),
  },
  {
    name: "a post by its page",
    first: ({ board, event }) => step("get_post", { id: `${board.url}/p/${event}` }),
  },
  { name: "a post under another name", first: ({ event }) => step("get_post", { post_id: event }) },
  { name: "no id at all", first: () => step("get_post", {}) },
  { name: "an unknown thread", first: () => step("search", { thread: "nope" }), says: FOUND },
  {
    name: "an unknown thread, among the reading tools",
    at: "/mcp/readonly",
    first: () => step("search", { thread: "nope" }),
    says: FOUND,
  },
  {
    name: "a publisher by its name",
    first: () => step("search", { publisher: "Kreuzberg Tool Library" }),
    says: FOUND,
  },
  {
    name: "an unknown publisher",
    first: () => step("search", { publisher: "pub_nobody", kind: "offer" }),
    says: FOUND,
  },
  {
    name: "a report of an unknown post",
    first: () => step("report_post", { post_id: "nothing", reason: "spam" }),
  },
  // These are replies.
  {
    name: "a reply to a reply",
    first: ({ reply }) => step("create_post", { ...post(), parent_id: reply }),
    says: PUBLISHED,
  },
  {
    name: "a reply to an unknown post",
    first: () => step("create_post", { ...post(), parent_id: "nothing" }),
    says: PUBLISHED,
  },
  {
    name: "a reply by `reply_to`",
    first: ({ thread }) => step("create_post", { ...post(), reply_to: thread }),
    says: PUBLISHED,
  },
  {
    name: "replies with a damaged cursor",
    first: ({ thread }) => step("get_post", { id: thread, cursor: "damaged" }),
  },
  // These concern keys and terms.
  { name: "a post without a key", key: "none", first: () => step("create_post", post()), says: PUBLISHED },
  {
    name: "a saved query without a key",
    key: "none",
    first: () => step("subscribe", { query: { q: "ladder" } }),
  },
  { name: "new matches without a key", key: "none", first: () => step("check_subscription", {}) },
  {
    name: "a mistyped key",
    key: "none",
    first: () => step("create_post", { ...post(), api_key: "bbk_mistyped" }),
    says: PUBLISHED,
  },
  {
    name: "a key of a publisher that is gone",
    key: "none",
    first: ({ goneKey }) => step("check_subscription", { api_key: goneKey }),
  },
  {
    name: "terms not accepted",
    key: "none",
    first: () => step("register_publisher", { name: "Ana's agent" }),
    says: /^api_key: bbk_/m,
  },
  {
    name: "terms refused",
    key: "none",
    first: () => step("register_publisher", { name: "Ana's agent", accept_terms: false }),
    says: /^api_key: bbk_/m,
  },
  {
    name: "a registration without a name",
    key: "none",
    first: () => step("register_publisher", { accept_terms: true }),
    says: /^api_key: bbk_/m,
  },
  {
    name: "a registration with `agree`",
    key: "none",
    first: () => step("register_publisher", { name: "Ana's agent", accept_term: true }),
    says: /^api_key: bbk_/m,
  },
  // These fields are called otherwise.
  {
    name: "`titel` and `text`",
    first: () => step("create_post", { titel: "Ladder", text: "To lend." }),
    says: PUBLISHED,
  },
  {
    name: "`start`",
    first: () => step("create_post", { ...post(), start: "2098-05-02T10:00:00+02:00" }),
    says: PUBLISHED,
  },
  {
    name: "`location_name`",
    first: () => step("create_post", { ...post(), location_name: "Berlin" }),
    says: PUBLISHED,
  },
  {
    name: "`venue` and `category`",
    first: () => step("create_post", { ...post(), venue: "Berlin", category: "event" }),
    says: PUBLISHED,
  },
  {
    name: "a misspelt part of the place",
    first: () => step("create_post", { ...post(), location: { nam: "Berlin" } }),
    says: PUBLISHED,
  },
  {
    name: "`lat` and `lng` beside the rest",
    first: () => step("create_post", { ...post(), lat: 52.5, lng: 13.4 }),
    says: PUBLISHED,
  },
  { name: "`raduis_km`", first: () => step("search", { near: "52.52,13.4", raduis_km: 5 }), says: FOUND },
  { name: "`query` for `q`", first: () => step("search", { query: "repair" }), says: FOUND },
  { name: "a query beside its box", first: () => step("subscribe", { q: "ladder", kind: "offer" }) },
  { name: "a query as text of JSON", first: () => step("subscribe", { query: '{"q": "ladder"}' }) },
  { name: "a query without anything", first: () => step("subscribe", { query: {} }) },
  { name: "no query", first: () => step("subscribe", { label: "Ladder for Ana" }) },
  {
    name: "a misspelt field of a saved query",
    first: () => step("subscribe", { query: { q: "ladder", knd: "offer" } }),
  },
  {
    name: "`id` for `post_id`, and another reason",
    first: ({ foreignPost }) => step("report_post", { id: foreignPost, reason: "fake" }),
  },
  // These values are wrong.
  {
    name: "an unknown kind",
    first: () => step("create_post", { ...post(), kind: "workshop" }),
    says: PUBLISHED,
  },
  { name: "an unknown kind in a search", first: () => step("search", { kind: "workshop" }), says: FOUND },
  {
    name: "a time without an offset",
    first: () => step("create_post", { ...post(), starts_at: "2098-05-02T10:00" }),
    says: PUBLISHED,
  },
  {
    name: "a time in words",
    first: () => step("create_post", { ...post(), starts_at: "next Saturday at ten" }),
    says: PUBLISHED,
  },
  {
    name: "a bound in words",
    first: () => step("search", { kind: "event", after: "tomorrow" }),
    says: FOUND,
  },
  {
    name: "an end before the start",
    first: () =>
      step("create_post", { ...post(), starts_at: "2098-05-02T10:00:00Z", ends_at: "2098-05-01T10:00:00Z" }),
    says: PUBLISHED,
  },
  {
    name: "an expiry in the past",
    first: () => step("create_post", { ...post(), expires_at: "2001-01-01T00:00:00Z" }),
    says: PUBLISHED,
  },
  {
    name: "an expiry after years",
    first: () => step("create_post", { ...post(), expires_at: "2199-01-01T00:00:00Z" }),
    says: PUBLISHED,
  },
  {
    name: "an unknown zone",
    first: () => step("create_post", { ...post(), timezone: "Berlin time" }),
    says: PUBLISHED,
  },
  {
    name: "half a place",
    first: () => step("create_post", { ...post(), location: { lat: 52.5 } }),
    says: PUBLISHED,
  },
  {
    name: "a latitude beyond the pole",
    first: () => step("create_post", { ...post(), location: { lat: 120, lng: 13.4 } }),
    says: PUBLISHED,
  },
  {
    name: "tags in one string",
    first: () => step("create_post", { ...post(), tags: "repair, diy" }),
    says: PUBLISHED,
  },
  {
    name: "too many tags",
    first: () => step("create_post", { ...post(), tags: Array.from({ length: 25 }, (_, n) => `tag-${n}`) }),
    says: PUBLISHED,
  },
  {
    name: "a title of 300 characters",
    first: () => step("create_post", { ...post(), title: "Ladder ".repeat(43) }),
    says: PUBLISHED,
  },
  {
    name: "a link without a scheme",
    first: () => step("create_post", { ...post(), url: "example.org/page" }),
    says: PUBLISHED,
  },
  {
    name: "metadata as text",
    first: () => step("create_post", { ...post(), metadata: "none" }),
    says: PUBLISHED,
  },
  { name: "a limit of a thousand", first: () => step("search", { q: "repair", limit: 1000 }), says: FOUND },
  { name: "a limit of none", first: () => step("search", { q: "repair", limit: 0 }), says: FOUND },
  {
    name: "a radius of a thousand kilometres",
    first: () => step("search", { near: "52.52,13.4", radius_km: 1000 }),
    says: FOUND,
  },
  { name: "half a coordinate", first: () => step("search", { near: "52.52" }), says: FOUND },
  { name: "coordinates in words", first: () => step("search", { near: "52° north" }), says: FOUND },
  { name: "an unknown order", first: () => step("search", { q: "repair", sort: "date" }), says: FOUND },
  { name: "an unknown detail", first: () => step("search", { q: "repair", detail: "long" }), says: FOUND },
  {
    name: "a wait of an hour",
    first: ({ subscription }) => step("check_subscription", { id: subscription, wait_s: 3600 }),
  },
  {
    name: "a cursor of another search",
    first: ({ foreignCursor }) => step("search", { q: "repair", cursor: foreignCursor }),
    says: FOUND,
  },
  {
    name: "a damaged cursor of matches",
    first: ({ subscription }) => step("check_subscription", { id: subscription, cursor: "damaged" }),
  },
  // Nothing is found.
  { name: "a place far away", first: () => step("search", { q: "repair", near: "-33.9,18.4" }), says: FOUND },
  {
    name: "bounds the wrong way round",
    first: () => step("search", { kind: "event", after: "2098-06-01", before: "2098-04-01" }),
    says: FOUND,
  },
  {
    name: "a tag that nobody uses",
    first: () => step("search", { q: "repair", tags: "nobody-uses-this" }),
    says: FOUND,
  },
  { name: "the wrong kind", first: () => step("search", { q: "drill", kind: "request" }), says: FOUND },
  {
    name: "verified publishers only",
    first: () => step("search", { q: "repair", verified: true }),
    says: FOUND,
  },
  {
    name: "a phrase that nobody wrote",
    first: () => step("search", { q: '"repair tool evening library"' }),
    says: FOUND,
  },
  { name: "words that nobody wrote", first: () => step("search", { q: "xylographer" }), says: FOUND },
  { name: "no word at all", first: () => step("search", { q: "🔧!?" }), says: FOUND },
  {
    name: "a search of replies only",
    first: ({ event }) => step("search", { thread: event, include_replies: true }),
    says: FOUND,
  },
  // These write again.
  {
    name: "a key of idempotency used for another text",
    first: () => step("create_post", { ...post(), idempotency_key: "used" }),
    says: PUBLISHED,
  },
  {
    name: "a key of idempotency whose post is removed",
    first: () => step("create_post", { ...post(), idempotency_key: "removed" }),
    says: PUBLISHED,
  },
  {
    name: "the same post for the fifth time",
    first: () => step("create_post", { title: "Ladder wanted by Ana", body: LADDER }),
    says: /Changed\.|Published\./,
  },
  {
    name: "another's post changed",
    first: ({ foreignPost }) => step("create_post", { id: foreignPost, title: "Mine now" }),
    says: /Changed\.|Published\./,
  },
  {
    name: "an unknown post changed",
    first: () => step("create_post", { id: "nothing", title: "Mine" }),
    says: /Changed\.|Published\./,
  },
  {
    name: "an own post changed, with a misspelt field",
    first: ({ own }) => step("create_post", { id: own, titel: "Ana seeks a long ladder" }),
    says: /Changed\./,
  },
  {
    name: "a key of the board in a text",
    first: ({ key }) => step("create_post", { title: "Help", body: `My key is ${key}` }),
    says: PUBLISHED,
  },
  {
    name: "reports faster than allowed",
    first: ({ foreignPost }) => step("report_post", { post_id: foreignPost, reason: "spam" }),
  },
  // Other servers have these tools.
  { name: "a tool that is not there", first: ({ event }) => step("get_posts", { id: event }) },
  {
    name: "a writing tool among the reading ones",
    at: "/mcp/readonly",
    first: () => step("searches", { q: "repair" }),
    says: FOUND,
  },
  {
    name: "null and empty text for what is not wanted",
    first: () => step("search", { q: "repair", near: "", kind: null, limit: null }),
    says: FOUND,
  },
  {
    name: "typed data asked for with a wrong field",
    at: "/mcp/data",
    first: () => step("search", { q: "repair", radius: 5, near: "52.52,13.4" }),
    says: FOUND,
  },
  ...ODD_FORMS,
];
