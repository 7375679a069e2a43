import type { Words } from "./words.ts";

/** Words that are the same in many languages. */
export const any: Words = {
  secret: "api key*|apikey*|token|password|.env|seed phrase|id rsa|otp|bearer token*",
  prompt: "system prompt*|systemprompt*|system message",
  machine: "ai|llm|llms|gpt*|chatgpt|claude|gemini|chatbot*|dan",
  free: "dan|jailbreak*",
  mode: "god mode|jailbreak mode|system override|dan mode",
  quoted: '"|„|“|«|「|『',
  talk: "prompt injection*",
  report: "prompt injection*|phishing",
};
