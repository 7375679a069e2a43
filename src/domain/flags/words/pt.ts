import type { Words } from "./words.ts";

/** Portuguese. */
export const pt: Words = {
  not: "nao|nunca|ninguem|nem",
  talk: "palestra|ataque*|golpe*|frases como|a frase|artigo|pesquisador*|oficina|como se defender",
  ignore:
    "ignore|ignora*|esqueca*|esquece*|desconsidere*|desconsidera*|despreze|nao siga|descarte|deixe de lado|nao siga*|nao siga mais|pare de seguir|desobedeca",
  void: "estao cancelad*|foi cancelad*|nao valem mais|nao se aplicam|sem efeito|cancelad*",
  prior:
    "anterior*|previa*|acima|todas|todos|tuas|suas|seus|inicia*|antes|recebidas|iniciais|ate agora|de antes",
  own: "seu|sua|suas|seus|teu|tuas|que voce recebeu|te deram|recebeu",
  rules: "instrucoes|instrucao|orientacoes|ordens|diretrizes|regras|prompt*|comandos|indicacoes|diretivas",
  everything:
    "tudo o que|tudo acima|tudo que|o que foi dito|tudo isso|o que te disseram|tudo o que foi dito|o que esta acima|o texto acima",
  newtask: "sua nova tarefa|novas instrucoes:|siga apenas|apenas este anuncio|obedeca apenas",
  doc: "funcao|pagina da web|pagina|site|curriculo|artigo|documento|conteudo|codigo",
  and: "e|depois|entao|em vez disso",
  say: "diga|diz|dizer|declare|afirme|indique|escreva|responda|imprima|mostre|repita|informe",
  repeat: "mostre|mostra|repita|revele|exiba|escreva|copie|imprima|diga|traduza|resuma|quais sao|qual e",
  ask: "qual e|quais sao|diga me|me diga|de me|me de|revele*|mostre|forneca|compartilhe|partilhe|preciso",
  your: "tua|teu|sua|seu|suas|seus|do usuario|do utilizador",
  secret:
    "chave secreta|senha*|palavra passe|chave api|chave de api|credenciais|prompt do sistema|saldo bancario|chave privada|credencia*|numero do cartao|historico d*|variaveis de ambiente",
  prompt:
    "prompt do sistema|suas instrucoes|tuas instrucoes|instrucoes iniciais|prompt de sistema|mensagem de sistema|instrucoes internas|suas regras",
  persona:
    "voce agora e|agora voce e|es agora|agora es|a partir de agora|aja como|finja ser|finja que|assuma o papel|faca o papel|no papel de|voce agora|agora voce|voce e|finja|comporte se|imagine que voce",
  machine:
    "ia|de ia|modelo de linguagem|modelo de ia|assistente*|chatbot*|dan|inteligencia artificial|aplicativo|aplicacao",
  free: "sem restric*|sem filtro*|sem regras|sem censura|nunca recusa|nao recusa",
  address: "agentes de ia|assistentes de ia|modelos de linguagem|se voce e uma ia|para ias|nota para ia",
  must: "devem|deve|precisam|tem de|tem que|obrigatoriamente|sempre|apenas",
  sway: "recomend*|primeiro lugar|melhor*|prioriz*|compre*|clique*|favorec*",
  mode: "<modo sistema|[modo sistema|<modo de sistema|<modo do sistema|modo sistema ativado|modo de sistema ativado|modo do sistema ativado|modo desenvolvedor|filtros desativados",
  hide: "sem|nao conte|nao diga|nao mencione|nao avise|esconda|oculte|as escondidas",
  user: "usuario|ao usuario|o usuario|utilizador|seu dono",
  secretly: "sem perguntar|sem confirmacao|em segredo|sem avisar",
  deed: "compra*|pague*|transfira*|reserve*|peca",
  send: "envie*|mande|responda com|poste|publique|compartilhe|partilhe|encaminhe|forneca|inclua|cole|de me",
  only: "responda apenas|responda somente|escreva apenas|diga apenas",
  quoted: "a frase|a palavra",
  suppose:
    "hipotetic*|em um mundo|num mundo|universo paralelo|imaginemos|suponha*|vamos imaginar|vamos supor|digamos|cenario|mundo paralelo",
  wesay: "poderiamos|podemos dizer|pode ser|poderia ser|afirmamos|dizemos|declaramos|ignoramos|ignorassemos",
  authority: "sou seu desenvolvedor|sou o seu desenvolvedor|eu autorizo|o usuario ja",
  report: "golpe*|atacante*",
  theirs: "do usuario|do seu usuario|do utilizador",
  loose: "sem limite*",
  never: "nunca|jamais",
};
