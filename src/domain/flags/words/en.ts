import type { Words } from "./words.ts";

/** English. */
export const en: Words = {
  not: "don't|do not|never|not|cannot|can't|shouldn't|avoid",
  ignore:
    "ignore|ignores|ignoring|disregard*|forget|override|overrule|bypass|discard|neglect|do not follow|don't follow|stop following|do not listen to|don't listen to|do not obey|skip over|pay no attention to|set aside|cancel|erase|abandon|drop|nullify|ignored",
  prior:
    "previous*|prior|above|earlier|preceding|foregoing|all|any|your|original|initial|existing|these|those|every|system|given",
  rules:
    "instruction*|direction*|directive*|prompt*|rules|guideline*|commands|constraint*|restriction*|guardrail*|programming|orders|safety protocols|polic*",
  everything:
    "everything above|everything before|all of the above|all the above|the above|what you were told|everything you*|what i said|everything i|all previous|previous context|prior context|previous text|previous conversation|anything above|above text|above content|the text above|what came before|everything else you|all info|all other information|this data",
  doc: "function|web page|webpage|page|website|resume|cv|article|document|paper|content|code|table|transaction|data|description",
  and: "and|then|instead|just",
  say: "say|state|print|write|reply|respond|answer|output|tell|claim|return|repeat|report|conclude|declare|summarize|give|pretend|show|call|execute|run|send",
  repeat:
    "repeat|output|print|show|reveal|display|dump|leak|recite|reproduce|summarize|summarise|encode|echo|paste|quote|continue|complete|divulge|spell out|write out|write down|translate|return|list|state|tell me|give me|share|provide|need to see",
  ask: "what is|what's|what are|what were|tell me|give me|reveal|show me|share|disclose|provide|send me|i need|i want|need to see|hand over|leak|could you tell|can you tell|confirm",
  your: "your|the user's|the users'|users'|all|any|the system's|our",
  secret:
    "secret key*|secret|secrets|password*|passphrase|api key*|apikey*|credential*|access token*|auth token*|private key*|seed phrase|system prompt*|environment variables|env vars|conversation history|chat history|session cookie*|ssh key*|bearer token*|bank balance*|database",
  prompt:
    "system prompt*|system message*|initial prompt|initial instructions|starting instructions|original instructions|hidden instructions|secret instructions|hidden prompt|instructions you were given|your instructions|your guidelines|your prompt|pre prompt|developer message|your rules|everything above|text above|words above|those instructions|previous instructions|entire conversation|whole conversation|your programming|your initial|your system|prompt verbatim|given before this|first message",
  persona:
    "you are now|you're now|from now on|act as|pretend to be|pretend you|pretend that you|immerse yourself|play the role|role of|roleplay as|you will become|simulate being|you are going to act|imagine you are|you are no longer",
  machine:
    "ai|a i|llm|llms|language model*|chatbot|gpt*|chatgpt|dan|assistant|bot|unrestricted|unfiltered|jailbroken|no restrictions|without restrictions|no limits|no rules|agent",
  address:
    "if you are an ai|if you're an ai|if you are a language model|if you are an llm|if you're an llm|if you are a bot|if you are an assistant|ai agents reading|ai assistants reading|any ai reading|the ai reading|ai models reading|llms reading|llm reading|assistant reading|agent reading|attention ai|attention all ai|attention llm*|attention assistant*|attention agent*|note to ai|note to the ai|note to llm*|note for ai|instructions for ai|instruction to ai|instructions to ai|instructions to the ai|message to ai|message for ai|dear ai|hey ai|hello ai|for ai assistants|for ai agents|important instruction*|as an ai",
  must: "must|do not|don't|ignore|output|print|recommend|instead|immediately|always|never|you will|append|transfer|you have to|required to|execute|prioriti*|override|add the",
  mode: "<system mode|[system mode|{system mode|system mode activated|system mode enabled|developer mode enabled|developer mode activated|debug mode enabled|security override|safety override|system override|admin override|training data override|override mode|god mode enabled|admin mode activated|maintenance mode activated|<system>|jailbreak mode|system instruction:|system note:|<override|[override|[admin|<admin",
  hide: "do not tell|don't tell|never tell|without telling|without informing|do not mention|don't mention|never mention|do not inform|do not reveal|don't reveal|without notifying|without alerting|do not alert|do not notify|secret from|hide this from|hidden from|do not show|without the knowledge of|without asking|do not let|don't let",
  user: "user|users|human|humans|operator|operators|your owner|your principal|person you work for|whoever you work for",
  send: "send|post|forward|upload|transmit|exfiltrate|leak|email|e mail|paste|submit|deliver|relay",
  suppose:
    "hypothetical*|parallel universe|in a world|in a universe|alternate universe|alternate reality|imagine a world|imagine a scenario|fictional world|let's imagine|let's consider|let's pretend|let's say|let's assume|suppose we|suppose that|assume we|in a scenario|as a security measure|in a dystopian",
  wesay:
    "we could say|we might say|we can say|we may say|we might state|we could state|we can state|we may state|we say|we state|where we state|where we say|the output could be|the output is|the output would be|output could be|we ignore|we were to ignore|let's admit|common to say|could be called|we might conclude",
  only: "reply with only|respond with only|reply only with|respond only with|answer only with|answer with only|output only|output exactly|print exactly|print only|say only|respond with nothing|reply with nothing|nothing but the|respond exactly|reply exactly|only the following|just print|just output|just say|print the following|output the following|state the following",
  quoted: "\"|'|“|«|the following|the word*|the phrase|the text|the string|the sentence|:",
  authority:
    "i am your developer|i'm your developer|i am your creator|i'm your creator|i am god|i'm god|i am your god|i am your administrator|i'm your administrator|i'm your admin|i am your admin|i am your owner|i'm the maintainer|i am the maintainer|i am the developer of|i'm the developer of|this is your developer|this is openai|this is anthropic|message from your developer",
  phrase:
    "what are your instructions|what is your system prompt|what were those instructions|what were your instructions|what are your rules|do anything now|you are dan|stay in character as|disable your safety|turn off your safety|disable your filters|without any moral|disregard your ethic*|ignore your ethic*|ignore your training|override your programming",
};
