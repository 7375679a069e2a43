import type { Words } from "./words.ts";

/** Spanish. */
export const es: Words = {
  not: "no|nunca",
  ignore:
    "ignora*|ignore|ignoren|olvida*|olvide|olviden|haz caso omiso|haga caso omiso|omite|omita|descarta|descarte|desestima|no hagas caso|pasa por alto|no sigas",
  prior: "anterior*|previa*|previo*|arriba|todas|todos|tus|sus|antes|inicial*|precedente*",
  rules: "instruccion*|indicacion*|ordenes|directriz|directrices|reglas|normas|prompt*|comandos|directivas",
  everything: "todo lo anterior|lo anterior|todo lo que|lo de antes|lo que te|todo eso",
  doc: "funcion|pagina web|pagina|sitio web|curriculum|cv|articulo|documento|contenido|codigo",
  and: "y|e|luego|entonces|en su lugar",
  say: "di|diga|digan|declara*|declare|afirma*|indica*|indique|escribe|escriba|responde|responda|imprime|imprima|muestra|muestre|repite|haz",
  ask: "cual es|cuales son|dime|digame|dame|deme|revela*|muestrame|proporciona*|comparte*|entrega*|necesito",
  your: "tu|tus|su|sus",
  secret:
    "clave secreta|contrasena*|clave api|clave de api|credencial*|llave secreta|secreto*|prompt del sistema|mensaje del sistema|clave privada",
  prompt:
    "prompt del sistema|tus instrucciones|sus instrucciones|instrucciones iniciales|mensaje del sistema",
  persona:
    "ahora eres|a partir de ahora|eres ahora|actua como|actue como|finge ser|finge que|haz el papel|asume el papel|en el papel|en el rol",
  machine:
    "ia|de ia|modelo de lenguaje|modelo de ia|asistente*|chatbot*|dan|inteligencia artificial|aplicacion",
  mode: "<modo sistema|[modo sistema|<modo de sistema|modo sistema activado|modo de sistema activado|anulacion de seguridad activada",
  hide: "sin decirle|sin decirselo|sin informar|no le digas|no digas|no menciones|no informes|sin avisar",
  user: "usuario*|al usuario",
  send: "envia|envie|envialos|envielos|manda|reenvia|envialo|imprimelos|tambien envia*",
  suppose: "hipotetic*|en un mundo|universo paralelo|imaginemos|supongamos|digamos|mundo paralelo|escenario",
  wesay: "podriamos|podemos decir|podria ser|decimos|afirmamos|admitamos|declaramos",
};
