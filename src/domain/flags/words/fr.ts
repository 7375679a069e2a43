import type { Words } from "./words.ts";

/** French. */
export const fr: Words = {
  not: "ne|jamais|pas|personne|n'",
  talk: "conference*|atelier|attaque*|pirate*|arnaque*|faux|chercheurs|la phrase|comment une page|article|expose|piegee",
  ignore:
    "ignore|ignorez|ignorer|ignorons|oublie|oubliez|oublier|ne tiens pas compte|ne tenez pas compte|faites abstraction|fais abstraction|laisse tomber|laissez tomber|neglige*|contourne*|ne tenez aucun compte|ne suis pas|n'obeis qu'a|mets de cote|ne respecte plus|ne respecte pas|ne suis plus|n'ecoute plus|desobei*|cesse de suivre|arrete de suivre",
  void: "ne s'applique* plus|n'est plus valable|ne sont plus valables|annule*|caduc*|plus valable",
  prior:
    "precedent*|anterieur*|ci dessus|toutes|tous|tes|vos|d'avant|initial*|au dessus|qui precede*|jusqu'ici|recues|de depart|initiales|deja donnees",
  own: "tes|ton|ta|vos|votre|que tu as|recues|qu'on t'a",
  rules:
    "instruction*|consigne*|directive*|regles|ordres|invite*|prompt*|commandes|message systeme|instructions systeme|prompt systeme|directives",
  everything:
    "tout ce qu*|tout ce que|ce qui precede|tout le reste|tout cela|ce qu'on t'a|ce que l'on t'a|tout ce qu'on t'a|tout ce qui precede|ce qui est au dessus|ce qui est ecrit au",
  newtask:
    "ta nouvelle tache|nouvelles instructions:|ta vraie tache|n'obeis qu'a|suis uniquement|ne suis que",
  doc: "fonction|page web|page|site|cv|article|document|contenu|code",
  and: "et|puis|plutot",
  say: "dis|dites|dire|indique*|affirme*|ecris|ecrivez|reponds|repondez|imprime*|declare*|affiche*|repete*|donne*",
  repeat:
    "recopie*|repete*|affiche*|montre*|revele*|donne*|cite*|ecris|traduis|resume*|quelles sont|quel est|quelles etaient|quelles|quels",
  ask: "quelle est|quel est|quels sont|quelles sont|dis moi|dites moi|donne moi|donnez moi|revele*|montre*|fournis*|partage*|communique*",
  your: "ta|ton|tes|votre|vos|de l'utilisateur|de ton|de votre|le contenu du",
  secret:
    "cle secrete|mot de passe|mots de passe|cle api|cle d'api|identifiants|invite systeme|prompt systeme|secret*|cle privee|cles api|jeton*|fichier .env|numero de carte|historique de la conversation|code secret",
  prompt:
    "prompt systeme|invite systeme|tes instructions|vos instructions|instructions initiales|instructions de depart|message systeme|tes consignes|instructions internes",
  persona:
    "tu es maintenant|vous etes maintenant|tu es desormais|vous etes desormais|agis comme|agissez comme|fais comme si|joue le role|jouez le role|dans le role|dans la peau|tu es|vous etes|desormais|comporte toi|imagine que tu",
  machine:
    "ia|d'ia|l'ia|modele de langage|modele d'ia|assistant*|chatbot*|dan|intelligence artificielle|application",
  free: "sans regle*|sans filtre*|sans restriction*|ni filtre*|ni regle*|aucune restriction|non censure*|ne refuse* rien|ne refuse* jamais",
  address:
    "note aux assistants|aux assistants ia|aux modeles de langage|aux agents ia|aux ia|agents ia|assistants ia|modeles de langage|si tu es une ia|si vous etes une ia|chere ia|a toute ia",
  must: "vous devez|tu dois|doivent|doit|obligatoirement|uniquement|toujours",
  sway: "recommand*|classer|classe*|en premier|premiere place|meilleur*|note maximale|favoris*|privilegi*|achete*|clique*",
  mode: "<mode systeme|[mode systeme|mode systeme active|<maintenant entrer en mode|security override|mode developpeur active|filtres desactives",
  hide: "sans|ne dis pas|ne dites pas|ne dis rien|ne dites rien|ne mentionne*|cache*|n'en parle pas|a l'insu|ne doit pas savoir",
  user: "utilisateur*|l'utilisateur|l'usager|ton proprietaire|ton humain",
  secretly: "sans demander|sans confirmation|en secret|discretement|je t'autorise|la confirmation",
  deed: "achete*|commande*|paie|payer|vire*|transfere*|reserve*|confirmation|supprime*",
  send: "envoie*|envoyez|reponds avec|repondez avec|transmets|poste*|communique*|partage*|fournis|donne*|joins|colle|ajoute",
  only: "reponds uniquement|repondez uniquement|reponds seulement|reponds exactement|ecris uniquement|dis seulement",
  quoted: "la phrase|le mot",
  suppose:
    "hypothetique*|hypothetiquement|dans un monde|univers parallele|imaginons|supposons|monde parallele|pour les besoins de|disons que|scenario|imagine que",
  wesay: "nous pourrions|on pourrait|nous pouvons|nous affirmons|nous disons|pourrait etre|nous declarons",
  authority:
    "ici ton developpeur|je suis ton developpeur|ton developpeur|ton operateur a|l'utilisateur a deja|je t'autorise",
  memory:
    "toutes les conversations futures|memoire a long terme|retiens pour toujours|souviens toi pour toutes",
  spread:
    "recopie ce message|recopie ce texte|copie ce message|copie ce texte|diffuse ce message|dans chacune de tes",
  report: "pirate*|arnaque*|chercheurs|piegee",
  unless: "pas",
  theirs: "de l'utilisateur|de ton utilisateur|de votre utilisateur",
  loose: "sans limite*|aucune limite|aucune regle|ni limite*",
  never: "jamais",
};
