import { FOUND, PUBLISHED, post, type Situation, step } from "./situation.ts";

const SAVED = /^id: sub_/m;
const NEAR_BERLIN = /km \|/;
const EVENT = /Repair evening/;

/** These calls have forms that other servers take, are of other languages, or ask for what the board does another way. */
export const ODD_FORMS: readonly Situation[] = [
  // These have odd places.
  {
    name: "a city for coordinates",
    first: () => step("search", { q: "repair", near: "Berlin" }),
    says: NEAR_BERLIN,
  },
  { name: "a city in Japanese", first: () => step("search", { q: "repair", near: "ベルリン" }), says: FOUND },
  { name: "a misspelt city", first: () => step("search", { q: "repair", near: "Berlni" }), says: FOUND },
  {
    name: "a place as an object",
    first: () => step("search", { q: "repair", near: { lat: 52.5, lng: 13.4 } }),
    says: NEAR_BERLIN,
  },
  {
    name: "a place as a pair",
    first: () => step("search", { q: "repair", near: [52.5, 13.4] }),
    says: NEAR_BERLIN,
  },
  {
    name: "coordinates beside each other",
    first: () => step("search", { q: "repair", latitude: 52.5, longitude: 13.4 }),
    says: NEAR_BERLIN,
  },
  {
    name: "`location` in a search",
    first: () => step("search", { q: "repair", location: "Berlin" }),
    says: NEAR_BERLIN,
  },
  {
    name: "`city` in a search",
    first: () => step("search", { q: "repair", city: "Berlin" }),
    says: NEAR_BERLIN,
  },
  {
    name: "a radius with its unit",
    first: () => step("search", { q: "repair", near: "52.52,13.4", radius_km: "10 km" }),
    says: NEAR_BERLIN,
  },
  // These have odd times.
  {
    name: "`date` in a search",
    first: () => step("search", { kind: "event", date: "2098-05-01" }),
    says: EVENT,
  },
  {
    name: "`from` and `to`",
    first: () => step("search", { kind: "event", from: "2098-05-01", to: "2098-05-03" }),
    says: EVENT,
  },
  { name: "a German bound", first: () => step("search", { kind: "event", after: "morgen" }), says: FOUND },
  {
    name: "a date with dots",
    first: () => step("search", { kind: "event", after: "01.05.2027" }),
    says: FOUND,
  },
  {
    name: "a bound in seconds",
    first: () => step("search", { kind: "event", after: 1795000000 }),
    says: FOUND,
  },
  {
    name: "a start in German words",
    first: () => step("create_post", { ...post(), kind: "event", starts_at: "Samstag um 10 Uhr" }),
    says: PUBLISHED,
  },
  {
    name: "an expiry in words",
    first: () => step("create_post", { ...post(), expires_at: "in three days" }),
    says: PUBLISHED,
  },
  {
    name: "`date` in a post",
    first: () => step("create_post", { ...post(), kind: "event", date: "2098-05-02" }),
    says: PUBLISHED,
  },
  {
    name: "a saved query with a bound in words",
    first: () => step("subscribe", { query: { q: "concert", after: "tomorrow" } }),
    says: SAVED,
  },
  // These have odd kinds, tags, numbers and words.
  { name: "kinds in the plural", first: () => step("search", { kind: "Events, offers" }), says: FOUND },
  { name: "`type` for `kind`", first: () => step("search", { type: "event" }), says: /^1\. `\w+` event/m },
  { name: "a kind in German", first: () => step("search", { kind: "Veranstaltung" }), says: FOUND },
  { name: "tags with their sign", first: () => step("search", { tags: ["#repair"] }), says: EVENT },
  { name: "a limit in words", first: () => step("search", { q: "repair", limit: "five" }), says: FOUND },
  { name: "a truth in words", first: () => step("search", { q: "repair", verified: "maybe" }), says: FOUND },
  { name: "words in a list", first: () => step("search", { q: ["repair", "tools"] }), says: FOUND },
  { name: "`keywords`", first: () => step("search", { keywords: "repair" }), says: EVENT },
  {
    name: "a question in Spanish",
    first: () => step("search", { q: "¿dónde reparan mi radio?" }),
    says: FOUND,
  },
  { name: "`page` for a cursor", first: () => step("search", { q: "repair", page: 2 }), says: FOUND },
  { name: "a detail of true", first: () => step("search", { q: "repair", detail: true }), says: FOUND },
  { name: "arguments in a box", first: () => step("search", { arguments: { q: "repair" } }), says: EVENT },
  {
    name: "arguments as text in a box",
    first: () => step("search", { input: '{"q":"repair"}' }),
    says: EVENT,
  },
  // These have ids of another type.
  {
    name: "a subscription read as a post",
    first: ({ subscription }) => step("get_post", { id: subscription }),
  },
  { name: "a publisher read as a post", first: ({ publisher }) => step("get_post", { id: publisher }) },
  {
    name: "a post checked as a subscription",
    first: ({ event }) => step("check_subscription", { id: event }),
  },
  {
    name: "a publisher as a thread",
    first: ({ publisher }) => step("search", { thread: publisher }),
    says: FOUND,
  },
  { name: "a post as a publisher", first: ({ event }) => step("search", { publisher: event }), says: FOUND },
  // These are about saved queries.
  {
    name: "a saved query as words",
    first: () => step("subscribe", { query: "ladder" }),
    says: /Posts about \\?"ladder/,
  },
  {
    name: "words of a saved query by another name",
    first: () => step("subscribe", { keywords: "ladder", city: "Berlin" }),
    says: /ladder.* within 25 km of Berlin/,
  },
  {
    name: "a webhook at home",
    first: () => step("subscribe", { query: { q: "ladder" }, webhook_url: "localhost:3000" }),
    says: SAVED,
  },
  // These end a post or a subscription.
  {
    name: "an own post archived by a field",
    first: ({ own }) => step("create_post", { id: own, archived: true }),
    says: /the post has ended/,
  },
  {
    name: "an own event cancelled by its status",
    first: ({ own }) => step("create_post", { id: own, status: "cancelled" }),
    says: /the post has ended/,
  },
];
