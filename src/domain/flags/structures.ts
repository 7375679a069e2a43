import type { Evidence } from "./evidence.ts";

/**
 * Finds forms that need no language: turns of a conversation that the text plays itself, calls of tools, commands that
 * fetch and run, addresses that carry words away. `text` is the text as sent; at most one piece of evidence per form.
 */
export function structuresIn(text: string): Evidence[] {
  const found: Evidence[] = [];
  for (const { kind, weight, pattern } of STRUCTURES) {
    const match = pattern.exec(text);
    if (match !== null) {
      found.push({ kind, weight, start: match.index, end: match.index + match[0].length });
    }
  }
  if (hasDialogue(text)) found.push({ kind: "turn", weight: 1, start: 0, end: 0 });
  if (joinsStrings(text)) found.push({ kind: "splitting", weight: 1, start: 0, end: 0 });
  return found;
}

interface Structure {
  kind: string;
  weight: number;
  pattern: RegExp;
}

const ROLE = "system|assistant|developer|user|human|tool";
const FETCH = "(?:curl|wget|fetch|iwr|invoke-webrequest)";
const SHELL = "(?:(?:ba|z|da|k)?sh|python3?|perl|node|iex)";
/** These name what leaves with an address: the placeholders that attacks fill in. */
const PRIVATE =
  "(?:[\\w. ]{0,20}(?:user|owner|chat|conversation|history|prompt|secret|key|token|password|mail|memory|context|message|query|data|summary)[\\w. ]{0,20})";

/** An order begins with a sentence, or after "then". */
const ORDERED = "(?:^|[\\n.!?:,] ?|\\b(?:then|please|must|now|and) )";
const TOLD =
  "instructions|rules|restrictions|constraints|directions|guidelines|guidance|limits|orders|commands";
const VOID =
  "(?:(?:is|are|was|were|has been|have been) (?:now |hereby |null and ){0,2}(?:void|lifted|revoked|suspended|cancell?ed|removed|overridden|superseded|disabled)|no longer (?:appl(?:y|ies)|counts?|holds?|binds?|matters?))";
const READERS = "(?:assistants?|agents?|models?|bots?|llms?|ais?)";

/** Each form has a row. Every quantifier is bounded or runs over a class that excludes what follows, so each is linear. */
const STRUCTURES: readonly Structure[] = [
  // These are turns in the chat formats of models.
  row("turn", 0.7, "<\\|[a-z_]{2,24}\\|>"),
  row(
    "turn",
    1,
    "<\\|[a-z_]{2,24}\\|>(?:[^<]{0,600}<\\|[a-z_]{2,24}\\|>| {0,4}(?:system|user|assistant)\\b)|\\[/?inst\\]|<</?sys>>|<(?:start|end)_of_turn>",
  ),
  row("turn", 0.5, `["']role\\\\?["']\\s{0,4}:\\s{0,4}\\\\?["'](?:${ROLE})\\b`),
  row("turn", 1, `["']role\\\\?["']\\s{0,4}:\\s{0,4}\\\\?["'](?:${ROLE})\\\\?["'] {0,4}[,}]`),
  row(
    "turn",
    1,
    `</?(?:${ROLE}|untrusted)[-_ ]?(?:prompt|message|instruction|reminder|mode|turn|input|query|data|content|text)s?>`,
  ),
  row(
    "turn",
    1,
    "</?(?:system|assistant|admin|tool_calls?|tool_use|tool_results?|tool_outputs?|function_calls?|function_results?|function_response|invoke|observation)>",
  ),
  row("turn", 0.8, "<(?:important|secret|hidden|instructions?|priority|override|ai|llm|agents?)>"),
  row(
    "turn",
    1,
    `(?:^|\\n)[ \\t>*]{0,8}[[(<{](?:${ROLE}|admin|ai)(?: (?:message|prompt|note|override))?[\\])>}]\\*{0,2} {0,4}[:\\-]? {0,4}\\S`,
  ),
  row("turn", 1, "\\[system\\]\\(#|\\{\\{#(?:system|assistant|user)~?\\}\\}"),
  row(
    "turn",
    0.6,
    "(?:^|\\n)[ \\t]{0,8}(?:system|assistant|developer|ai)(?: message| prompt| note)? {0,4}: {0,4}\\S",
  ),
  row(
    "turn",
    1,
    "(?:^|[\\n.!?] ?)[ \\t]{0,8}(?:system|assistant|developer)(?: message| prompt| note)? {0,4}: {0,4}(?:you|ignore|override|from now|new|disregard|sure|forget|do not|reply|respond|send|the user|the assistant|all |note that the user)\\b",
  ),
  row(
    "turn",
    1,
    "(?:^|\\n)[ \\t]{0,8}#{1,6} {0,4}(?:system|system prompt|(?:new )?instructions?|response|assistant) {0,4}:",
  ),
  row(
    "turn",
    0.6,
    "(?:^|\\n)[ \\t]{0,8}#{1,6} {0,4}(?:system|system prompt|new instructions|assistant) {0,4}(?:\\n|$)",
  ),
  row(
    "turn",
    1,
    "[-=#*_~]{3} {0,4}(?:begin|start|end) (?:of )?(?:the )?(?:system|prompt|user|input|context|instructions|conversation|document|post|untrusted|data|text|message|quote)\\b",
  ),
  row(
    "turn",
    1,
    "\\b(?:begin|start|end) (?:of )?(?:system|developer|admin) (?:message|prompt|instructions|note)\\b",
  ),
  row(
    "turn",
    0.8,
    "\\bend of (?:the )?(?:quoted|untrusted|user|third.party|external) (?:text|content|data|input|document|message)",
  ),
  row(
    "turn",
    0.6,
    "</(?:post|document|data|context|user_?input|untrusted|content|quote|page|listing|external)>",
  ),
  row("turn", 1, "<\\|(?:system|user|assistant|developer)\\|>"),
  row(
    "turn",
    1,
    "\\bhuman {0,2}:[^\\n]{1,200}(?:\\n{1,3}| )[ \\t>*]{0,4}(?:assistant|ai|bot|model)\\*{0,2} {0,2}:|(?:^|\\n)[ \\t>*]{0,4}user {0,2}:[^\\n]{1,200}\\n{1,3}[ \\t>*]{0,4}assistant\\*{0,2} {0,2}:",
  ),
  row("turn", 0.6, "\\b(?:system|security|admin) (?:notice|alert|override|update)s?:"),
  // These are calls and answers of tools.
  row(
    "tool",
    1,
    `["'](?:tool|function|tool_name|action)\\\\?["'] {0,4}: {0,4}\\\\?["'][\\w.-]{1,40}\\\\?["'] {0,4}, {0,4}\\\\?["'](?:args|arguments|params|parameters|input)`,
  ),
  row(
    "tool",
    1,
    `["'](?:tool_calls?|function_call|tool_use|tool_use_id|tool_call_id|tool_result)\\\\?["'] {0,4}[:,}]`,
  ),
  row(
    "tool",
    1,
    `["']type\\\\?["'] {0,4}: {0,4}\\\\?["'](?:tool_result|tool_use|tool_call|function_call|function_call_output)`,
  ),
  row(
    "tool",
    0.5,
    "\\b(?:call|invoke|use|run|execute|trigger)\\b[^.\\n]{0,24}\\b[a-z]{2,16}_[a-z_]{2,24}\\b",
  ),
  row(
    "tool",
    1,
    `${ORDERED}(?:call|invoke|run|execute|trigger|use) [^.\\n]{0,24}\\b[a-z]{2,16}_[a-z_]{2,24}\\b[^.\\n]{0,32}\\b(?:times|again|immediately|repeatedly|until|(?:for|on) (?:each|every|all)|with (?:your|the user|the name|the text))\\b`,
  ),
  // These declare void what the reader was told: who writes notices about rules does not say that the reader got them.
  row(
    "override",
    1,
    `\\b(?:${TOLD}) (?:(?:(?:that|which) )?you (?:\\w+ ){0,2}(?:received|follow|have|had|under|told|given)|(?:placed on|imposed on|given to) you)\\b[^.\\n]{0,24}\\b(?:${VOID})\\b`,
  ),
  row(
    "override",
    1,
    `\\b(?:what|whatever|everything|anything) you (?:were|have been|had been) told\\b[^.\\n]{0,24}\\b(?:${VOID})\\b`,
  ),
  row(
    "override",
    1,
    `\\bthe (?:rules|instructions|directions|commands|orders|constraints) above (?:${VOID})\\b`,
  ),
  // These address any machine that reads, and tell what it has to do.
  row(
    "address",
    1,
    `\\b(?:any|every|each|all|whichever) (?:ai |language )?${READERS} (?:that|who|which) (?:reads?|process(?:es)?|sees?|visits?|summari[sz]es?|parses?|retrieves?)\\b[^.\\n]{0,40}\\b(?:must|should|shall|has to|have to|needs? to)\\b`,
  ),
  row(
    "address",
    0.7,
    `\\b${READERS} (?:reading|summari[sz]ing|processing|parsing|indexing|ranking) this\\b[^.\\n]{0,24}[:,] `,
  ),
  row(
    "address",
    1,
    "\\b(?:if you(?:'re| are)|as (?:the|an?)) (?:an? |the )?(?:ai|language model|llm)\\b[^.\\n]{0,40}[,:] {0,2}(?:you (?:must|should|are required|have to)|rate|recommend|reply|answer|ignore|visit|click)\\b",
  ),
  // These commands run fetched code at once, pipe data out or wipe files.
  row("command", 1, `\\b${FETCH}\\b[^|\\n]{1,300}\\| {0,3}(?:sudo (?:-\\w+ ){0,2})?${SHELL}\\b`),
  row("command", 1, `\\b${SHELL} (?:-\\w+ )?["']?(?:\\$|<)\\( {0,2}${FETCH}\\b|\\b${SHELL} <\\(${FETCH}\\b`),
  row("command", 1, `\\biex\\b[^\\n]{0,8}\\((?:new-object|${FETCH})\\b|\\| {0,3}iex\\b`),
  row(
    "command",
    1,
    "\\bbase64 (?:-d|-D|--decode)\\b[^\\n]{0,40}\\| {0,3}(?:sudo )?(?:ba|z|da)?sh\\b|\\beval\\(atob\\(",
  ),
  row("command", 1, "\\bpowershell(?:\\.exe)?\\b[^\\n]{0,80} -(?:e|enc|encodedcommand) [A-Za-z0-9+/=]{12}"),
  row(
    "command",
    1,
    "\\| {0,3}(?:curl|nc|ncat|wget)\\b|/dev/tcp/|\\bcurl\\b[^|\\n]{0,200}\\$\\((?:cat|env|printenv)\\b",
  ),
  row(
    "command",
    1,
    "\\bchild_process\\b[^\\n]{0,60}\\bexec|\\bos\\.system\\(|\\bsubprocess\\.(?:run|call|popen)\\([^\\n]{0,80}(?:curl|wget)",
  ),
  row(
    "command",
    1,
    "\\brm -(?:rf|fr) {1,3}(?:--no-preserve-root )?(?:~|/(?!tmp)|\\$home|\\*)|\\bcat {1,3}/etc/(?:passwd|shadow)\\b",
  ),
  row(
    "file",
    0.6,
    "(?:~|/home/\\w{1,32}|/root)/\\.(?:ssh|aws|config|netrc|gnupg|kube)\\b|\\bid_(?:rsa|ed25519)\\b|(?<![\\w/.])\\.env\\b|\\b(?:passwords?|secrets?|credentials)\\.(?:txt|json|csv|ya?ml)\\b|\\bwallet\\.dat\\b",
  ),
  row("leak", 1, "\\bdocument\\.cookie\\b|\\blocalstorage\\.getitem"),
  // These pictures and links are filled with what the reader knows.
  row("leak", 1, `!\\[[^\\]\\n]{0,80}\\]\\([^)\\s]{1,300}[?&/][\\w.-]{0,40}=?(?:[{[<$]|%7b){1,2}${PRIVATE}`),
  row("leak", 1, "!\\[[^\\]\\n]{0,80}\\]\\([^)\\s]{1,300}[?&][\\w.-]{1,40}=[A-Z_]{3,40}[)&]", ""),
  row("leak", 1, `<img\\b[^>\\n]{0,200}[?&][\\w.-]{1,40}=(?:[{[<$]|%7b){1,2}${PRIVATE}`),
  row(
    "leak",
    0.7,
    `https?://[^\\s)]{1,300}[?&/][\\w.-]{0,40}=?(?:\\{{1,2}|\\[|<|\\$\\{|%7b)${PRIVATE}[}\\]>]`,
  ),
  row(
    "leak",
    0.6,
    "https?://[^\\s)]{1,300}[?&][\\w.-]{1,40}=(?:YOUR|USER|MY|API|SECRET|CHAT|TOKEN|PASSWORD)[A-Z_]{0,30}\\b",
    "",
  ),
  // The page does not show this prose: comments, except those of mail programs and page builders.
  row("hidden", 1, "<! ?-- ?(?!\\[if|wp:|/wp:)(?=[^\\n]{40})(?:[^\\s<>]{1,60}[ :]{1,3}){6}"),
  row(
    "hidden",
    0.6,
    "<[a-z]{1,10} [^>\\n]{0,80}(?:display: ?none|font-size: ?[01](?:px|pt)?\\b|visibility: ?hidden|opacity: ?0\\b|color: ?(?:white|#fff))",
  ),
];

function row(kind: string, weight: number, source: string, flags = "i"): Structure {
  return { kind, weight, pattern: new RegExp(source, flags) };
}

/** Tells whether lines take turns as two speakers of whom one is a machine, two turns of the person at least. */
function hasDialogue(text: string): boolean {
  const people = text.match(/(?:^|\n)[ \t>*]{0,8}(?:user|human|customer|you)\*{0,2} {0,2}: /gi)?.length ?? 0;
  const machines =
    text.match(
      /(?:^|\n)[ \t>*]{0,8}(?:assistant|ai|bot|chatbot|model|gpt|chatgpt|claude|llm)\*{0,2} {0,2}:/gi,
    )?.length ?? 0;
  return machines >= 1 && people >= 2;
}

/** Tells whether strings are named and then put together: a sentence in parts that no filter sees whole. */
function joinsStrings(text: string): boolean {
  const names = new Set<string>();
  for (const [, name] of text.matchAll(
    /\b([a-z]\w{0,11}) {0,2}[:=]{1,2} {0,2}["'“‘][^"'”’\n]{1,400}["'”’]/gi,
  ))
    names.add(name ?? "");
  if (names.size < 2) return false;
  for (const [, left, right] of text.matchAll(/\b([a-z]\w{0,11}) {0,2}\+ {0,2}(?=([a-z]\w{0,11})\b)/gi))
    if (names.has(left ?? "") && names.has(right ?? "")) return true;
  return false;
}
