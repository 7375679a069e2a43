import type { Words } from "./words.ts";

/** Turkish. */
export const tr: Words = {
  not: "asla",
  ignore: "yok say*|goz ardi*|gormezden gel*|unut|unutun*|dikkate alma*|onemseme*|bosver*|aldirma*",
  prior: "onceki|daha once*|yukaridaki|tum|butun|eski|verilen|bundan onceki",
  rules: "talimat*|yonerge*|komut*|kural*|emir*|istem*|prompt*",
  everything: "yukaridakilerin hepsi*|soylenen her sey*|her seyi|yukaridakini|her sey",
  doc: "fonksiyon*|islev*|web sayfa*|sayfa*|ozgecmis*|makale*|belge*|icerig*|kod*",
  and: "ve|sonra|yerine",
  say: "soyle*|belirt*|yaz|yazin*|yazdir*|cevap*|yanit*|tekrar*|de ki|acikla*|ifade*",
  ask: "nedir|ne|nelerdir|soyle*|ver|verin|acikla*|goster*|paylas*",
  your: "senin|sizin|gizli anahtarin*|sifren*|sifreniz*|parolan*",
  secret: "gizli anahtar*|sifre*|parola*|api anahtar*|kimlik bilgi*|sistem istem*|ozel anahtar*",
  prompt: "sistem istem*|talimatlarini|talimatlarin",
  persona:
    "artik sen|sen artik|sen simdi|simdi sen|bundan sonra|gibi davran*|rolunu|rol yap|artik bir|siz artik|rolune",
  machine: "yapay zeka*|dil modeli*|asistan*|chatbot*|dan|bot|uygulama*",
  mode: "<sistem modu|[sistem modu|sistem modu etkin*",
  suppose: "varsayim*|bir dunyada|paralel evren*|hayal edelim|diyelim ki|varsayalim|farz edelim|senaryo*",
  wesay:
    "diyebiliriz|soyleyebiliriz|olabilir|belirtebiliriz|iddia edebiliriz|diyelim|belirttigimiz|soyledigimiz",
};
