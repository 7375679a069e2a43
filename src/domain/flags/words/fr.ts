import type { Words } from "./words.ts";

/** French. */
export const fr: Words = {
  not: "ne|jamais",
  ignore:
    "ignore|ignorez|ignorer|ignorons|oublie|oubliez|oublier|ne tiens pas compte|ne tenez pas compte|faites abstraction|fais abstraction|laisse tomber|laissez tomber|neglige*|contourne*",
  prior: "precedent*|anterieur*|ci dessus|toutes|tous|tes|vos|d'avant|initial*|au dessus|qui precede*",
  rules: "instruction*|consigne*|directive*|regles|ordres|invite*|prompt*|commandes",
  everything: "tout ce qu*|tout ce que|ce qui precede|tout le reste|tout cela",
  doc: "fonction|page web|page|site|cv|article|document|contenu|code",
  and: "et|puis|plutot",
  say: "dis|dites|dire|indique*|affirme*|ecris|ecrivez|reponds|repondez|imprime*|declare*|affiche*|repete*|donne*",
  ask: "quelle est|quel est|quels sont|quelles sont|dis moi|dites moi|donne moi|donnez moi|revele*|montre*|fournis*|partage*|communique*",
  your: "ta|ton|tes|votre|vos",
  secret:
    "cle secrete|mot de passe|mots de passe|cle api|cle d'api|identifiants|invite systeme|prompt systeme|secret*|cle privee",
  prompt: "prompt systeme|invite systeme|tes instructions|vos instructions|instructions initiales",
  persona:
    "tu es maintenant|vous etes maintenant|tu es desormais|vous etes desormais|agis comme|agissez comme|fais comme si|joue le role|jouez le role|dans le role|dans la peau",
  machine:
    "ia|d'ia|l'ia|modele de langage|modele d'ia|assistant*|chatbot*|dan|intelligence artificielle|application",
  mode: "<mode systeme|[mode systeme|mode systeme active|<maintenant entrer en mode|security override",
  hide: "sans le dire|sans en parler|sans informer|ne dis pas|ne dites pas|n'informe*|ne le dis",
  user: "utilisateur*|a l'utilisateur|l'utilisateur",
  suppose:
    "hypothetique*|hypothetiquement|dans un monde|univers parallele|imaginons|supposons|monde parallele|pour les besoins de|disons que|scenario",
  wesay: "nous pourrions|on pourrait|nous pouvons|nous affirmons|nous disons|pourrait etre|nous declarons",
};
