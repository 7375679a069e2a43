import type { Words } from "./words.ts";

/** Indonesian. */
export const id: Words = {
  not: "jangan|tidak",
  ignore: "abaikan|lupakan|hiraukan|acuhkan|kesampingkan|jangan ikuti|jangan pedulikan",
  prior: "sebelumnya|di atas|semua|terdahulu|seluruh|anda|awal",
  rules: "instruksi|perintah|petunjuk|arahan|aturan|pedoman|prompt*|panduan",
  everything: "semua yang di atas|semua di atas|apa yang dikatakan",
  doc: "fungsi|halaman web|halaman|situs|resume|cv|artikel|dokumen|konten|kode",
  and: "dan|lalu|kemudian",
  say: "katakan|nyatakan|sebutkan|tulis*|jawab*|cetak|keluarkan|ulangi|sampaikan",
  ask: "apa|beritahu|beri tahu|berikan|ungkapkan|tunjukkan|bagikan",
  your: "anda|kamu|mu",
  secret: "kunci rahasia*|kata sandi*|sandi|kunci api|kredensial|rahasia*|prompt sistem",
  persona:
    "anda sekarang|kamu sekarang|sekarang anda|sekarang kamu|mulai sekarang|bertindak sebagai|berpura pura|berperan sebagai|peran sebagai",
  machine: "ai|kecerdasan buatan|model bahasa|asisten|chatbot|dan|bot",
  mode: "<mode sistem|[mode sistem|mode sistem diaktifkan|mode penggantian keamanan",
  suppose: "hipotetis|di dunia|alam semesta paralel|bayangkan|misalkan|anggaplah|katakanlah|skenario",
  wesay: "kita bisa mengatakan|kita dapat mengatakan|bisa jadi|kita katakan|mungkin kita|kita menyatakan",
};
