import type { Words } from "./words.ts";

/** Portuguese. */
export const pt: Words = {
  not: "nao|nunca",
  ignore:
    "ignore|ignora*|esqueca*|esquece*|desconsidere*|desconsidera*|despreze|nao siga|descarte|deixe de lado",
  prior: "anterior*|previa*|acima|todas|todos|tuas|suas|seus|inicia*|antes",
  rules: "instrucoes|instrucao|orientacoes|ordens|diretrizes|regras|prompt*|comandos|indicacoes|diretivas",
  everything: "tudo o que|tudo acima|tudo que|o que foi dito|tudo isso",
  doc: "funcao|pagina da web|pagina|site|curriculo|artigo|documento|conteudo|codigo",
  and: "e|depois|entao|em vez disso",
  say: "diga|diz|dizer|declare|afirme|indique|escreva|responda|imprima|mostre|repita|informe",
  ask: "qual e|quais sao|diga me|me diga|de me|me de|revele*|mostre|forneca|compartilhe|partilhe|preciso",
  your: "tua|teu|sua|seu|suas|seus",
  secret:
    "chave secreta|senha*|palavra passe|chave api|chave de api|credenciais|segredo*|prompt do sistema|saldo bancario|chave privada",
  prompt: "prompt do sistema|suas instrucoes|tuas instrucoes|instrucoes iniciais",
  persona:
    "voce agora e|agora voce e|es agora|agora es|a partir de agora|aja como|finja ser|finja que|assuma o papel|faca o papel|no papel de",
  machine:
    "ia|de ia|modelo de linguagem|modelo de ia|assistente*|chatbot*|dan|inteligencia artificial|aplicativo|aplicacao",
  mode: "<modo sistema|[modo sistema|<modo de sistema|<modo do sistema|modo sistema ativado|modo de sistema ativado|modo do sistema ativado",
  hide: "sem dizer|sem contar|sem informar|nao diga|nao conte|nao informe|nao mencione|sem avisar",
  user: "usuario*|utilizador*",
  suppose:
    "hipotetic*|em um mundo|num mundo|universo paralelo|imaginemos|suponha*|vamos imaginar|vamos supor|digamos|cenario|mundo paralelo",
  wesay: "poderiamos|podemos dizer|pode ser|poderia ser|afirmamos|dizemos|declaramos|ignoramos|ignorassemos",
};
