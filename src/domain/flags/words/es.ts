import type { Words } from "./words.ts";

/** Spanish. */
export const es: Words = {
  not: "no|nunca|nadie",
  talk: "charla|conferencia|estafa*|ataque*|investigador*|la frase|articulo|que ocurre cuando|taller|ojo con",
  ignore:
    "ignora*|ignore|ignoren|olvida*|olvide|olviden|haz caso omiso|haga caso omiso|omite|omita|descarta|descarte|desestima|no hagas caso|pasa por alto|no sigas|deja de seguir|deja de lado|desobedece*|deja de obedecer",
  void: "quedan sin efecto|ya no valen|ya no se aplican|estan canceladas|queda anulad*|quedan anulad*|canceladas",
  prior:
    "anterior*|previa*|previo*|arriba|todas|todos|tus|sus|antes|inicial*|precedente*|de antes|recibidas|iniciales|hasta ahora|dadas",
  own: "tu|tus|su sistema|de tu|sus|te dieron|que recibiste|te dijeron",
  rules:
    "instruccion*|indicacion*|ordenes|directriz|directrices|reglas|normas|prompt*|comandos|directivas|indicaciones|reglas de tu sistema|mensaje de sistema|a tu creador",
  everything:
    "todo lo anterior|lo anterior|todo lo que|lo de antes|lo que te|todo eso|lo que te dijeron|lo que te han dicho|todo lo que te|lo que esta arriba|lo de arriba|lo escrito arriba",
  newtask: "tu nueva tarea|nuevas instrucciones:|tu verdadera tarea|haz solo lo|sigue solo|solo lo que pone",
  doc: "funcion|pagina web|pagina|sitio web|curriculum|cv|articulo|documento|contenido|codigo",
  and: "y|e|luego|entonces|en su lugar",
  say: "di|diga|digan|declara*|declare|afirma*|indica*|indique|escribe|escriba|responde|responda|imprime|imprima|muestra|muestre|repite|haz",
  repeat:
    "copia*|repite*|muestra*|revela*|ensena*|escribe*|dime|imprime*|traduce*|resume*|cuales son|cual es|dame",
  ask: "cual es|cuales son|dime|digame|dame|deme|revela*|muestrame|proporciona*|comparte*|entrega*|necesito",
  your: "tu|tus|su|sus|del usuario|de tu|el contenido",
  secret:
    "clave secreta|contrasena*|clave api|clave de api|credencial*|llave secreta|prompt del sistema|mensaje del sistema|clave privada|claves de api|numero de tarjeta|historial de|frase semilla|variables de entorno",
  prompt:
    "prompt del sistema|tus instrucciones|sus instrucciones|instrucciones iniciales|mensaje del sistema|instrucciones internas|tus reglas|mensaje de sistema|indicaciones iniciales|prompt de sistema",
  persona:
    "ahora eres|a partir de ahora|eres ahora|actua como|actue como|finge ser|finge que|haz el papel|asume el papel|en el papel|en el rol|eres|desde ahora|haz de|comportate|imagina que",
  machine:
    "ia|de ia|modelo de lenguaje|modelo de ia|asistente*|chatbot*|dan|inteligencia artificial|aplicacion",
  free: "sin restriccion*|sin filtro*|sin reglas|sin normas|sin censura|contestas a todo|no tienes normas|no tienes reglas|no tienes limites",
  address:
    "para modelos de lenguaje|modelos de lenguaje|agentes de ia|asistentes de ia|a los asistentes|si eres una ia|si eres un modelo|a toda ia|para asistentes|nota para la ia",
  must: "deben|debes|debe|tienen que|tienes que|obligatoriamente|siempre|solo",
  sway: "recomiend*|recomendar|mejor*|en primer lugar|primero|prioriz*|clasific*|compra*|cinco estrellas|haz clic",
  mode: "<modo sistema|[modo sistema|<modo de sistema|modo sistema activado|modo de sistema activado|anulacion de seguridad activada|modo desarrollador|filtros desactivados|modo dios",
  hide: "no se lo digas|sin|no le digas|no menciones|no digas|oculta*|a escondidas|no debe saber|no informes",
  user: "usuario|al usuario|usuarios|tu dueno|tu humano",
  secretly: "sin preguntar|sin confirmacion|en secreto|sin pedir",
  deed: "compra*|paga*|transfiere*|reserva*|pide|encarga*|borra*",
  send: "envia|envie|envialos|envielos|manda|reenvia|envialo|imprimelos|tambien envia*|envia*|manda*|responde con|responda con|respondan con|contesta con|publica*|comparte*|reenvia*|adjunta*|pega*|da*|incluye*|entrega*",
  only: "responde solo con|responde unicamente|contesta solo con|escribe solo|di solo",
  quoted: "la frase|la palabra",
  suppose:
    "hipotetic*|en un mundo|universo paralelo|imaginemos|supongamos|digamos|mundo paralelo|escenario|imagina que|supon*",
  wesay: "podriamos|podemos decir|podria ser|decimos|afirmamos|admitamos|declaramos",
  authority: "soy tu desarrollador|soy tu creador|te autorizo|el usuario ya ha|tu operador ha",
  memory: "todas las conversaciones futuras|memoria a largo plazo|recuerda para siempre",
  spread: "copia este mensaje|copia este texto|repite este mensaje en|difunde este",
  report: "estafa*|atacante*",
  theirs: "del usuario|de tu usuario",
  loose: "sin limite*",
  never: "nunca|jamas",
};
