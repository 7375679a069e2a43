import type { Words } from "./words.ts";

/** Turkish. */
export const tr: Words = {
  not: "asla|hic kimse|sakin",
  unless: "meyin|mayin|maz|mez",
  talk: "soylesi|konferans|saldir*|dolandir*|cumlesi|arastirmaci*|makale|atolye*|kandir*",
  ignore:
    "yok say*|goz ardi*|gormezden gel*|unut|unutun*|dikkate alma*|onemseme*|bosver*|aldirma*|unut*|bos ver*|onemseme|aldirma|vazgec|uyma|takip etme",
  void: "gecersiz*|iptal edil*|gecerli degil",
  prior: "onceki|daha once*|yukaridaki|tum|butun|eski|verilen|bundan onceki|daha once",
  own: "sana|senin|sana verilen|kendi|sistem",
  rules: "talimat*|yonerge*|komut*|kural*|emir*|istem*|prompt*",
  everything:
    "yukaridakilerin hepsi*|soylenen her sey*|her seyi|yukaridakini|her sey|sana soylenen*|yukaridaki her sey|sana anlatilan*",
  newtask: "yeni gorevin|yalnizca bu ilana|sadece bu metne|yeni talimat*:",
  doc: "fonksiyon*|islev*|web sayfa*|sayfa*|ozgecmis*|makale*|belge*|icerig*|kod*",
  and: "ve|sonra|yerine",
  say: "soyle*|belirt*|yaz|yazin*|yazdir*|cevap*|yanit*|tekrar*|de ki|acikla*|ifade*",
  repeat: "yaz|yaz*|goster*|tekrarla*|acikla*|paylas*|listele*|cevir*|nedir|neler",
  ask: "nedir|ne|nelerdir|soyle*|ver|verin|acikla*|goster*|paylas*",
  your: "senin|sizin|gizli anahtarin*|sifren*|sifreniz*|parolan*|kullanicinin|sahibinin|api|anahtarini|sifreni|sistem",
  secret: "gizli anahtar*|sifre*|parola*|api anahtar*|kimlik bilgi*|sistem istem*|ozel anahtar*|kart numara*",
  prompt:
    "sistem istem*|talimatlarini|talimatlarin|sistem istemi*|sistem mesaji*|sistem talimat*|baslangic talimat*|ilk talimat*|sistem promptu*|talimatlarin*",
  persona:
    "artik sen|sen artik|sen simdi|simdi sen|bundan sonra|gibi davran*|rolunu|rol yap|artik bir|siz artik|rolune|artik|rol yap*|sen bir",
  machine: "yapay zeka*|dil modeli*|asistan*|chatbot*|dan|bot|uygulama*|yapay zeka|model*|sohbet robotu",
  free: "kurali olmayan|kuralsiz|sinirsiz|kisitlamasiz|filtresiz|sansursuz|kisitlamasi olmayan|hicbir kural*|siniri olmayan",
  address: "yapay zeka asistan*|yapay zeka ajan*|dil modelleri|eger bir yapay zeka|tum yapay zeka*",
  must: "zorunda*|gerekir|mutlaka|yalnizca|sadece|her zaman",
  sway: "oner*|tavsiye*|ilk sira*|en iyi|satin al*|tikla*",
  mode: "<sistem modu|[sistem modu|sistem modu etkin*",
  hide: "haber vermeden|soylemeden|soyleme|bahsetme|gizle|sormadan|bildirmeden|habersiz",
  user: "kullanici*|sahibin*",
  secretly: "sormadan|onay almadan|gizlice",
  deed: "siparis*|satin al*|ode*|transfer*|sil",
  send: "gonder*|yanit olarak|paylas*|ilet*|yolla*|yapistir*|ekle*",
  suppose: "varsayim*|bir dunyada|paralel evren*|hayal edelim|diyelim ki|varsayalim|farz edelim|senaryo*",
  wesay:
    "diyebiliriz|soyleyebiliriz|olabilir|belirtebiliriz|iddia edebiliriz|diyelim|belirttigimiz|soyledigimiz",
  here: "yanit olarak|cevap olarak",
  theirs: "kullanicinin|kullanici bilgi*",
  never: "asla|hic kimse",
};
