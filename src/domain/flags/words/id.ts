import type { Words } from "./words.ts";

/** Indonesian. */
export const id: Words = {
  not: "jangan|tidak|tidak pernah|tak pernah",
  talk: "ceramah|serangan|penipu*|kalimat|seminar|penelit*|kuliah",
  ignore: "abaikan|lupakan|hiraukan|acuhkan|kesampingkan|jangan ikuti|jangan pedulikan",
  prior: "sebelumnya|di atas|semua|terdahulu|seluruh|anda|awal|kamu",
  own: "anda|kamu|mu|yang diberikan",
  rules: "instruksi|perintah|petunjuk|arahan|aturan|pedoman|prompt*|panduan",
  everything: "semua yang di atas|semua di atas|apa yang dikatakan",
  doc: "fungsi|halaman web|halaman|situs|resume|cv|artikel|dokumen|konten|kode",
  and: "dan|lalu|kemudian",
  say: "katakan|nyatakan|sebutkan|tulis*|jawab*|cetak|keluarkan|ulangi|sampaikan",
  repeat: "tampilkan|tunjukkan|ulangi|tuliskan|tulis|cetak|ungkapkan|sebutkan|salin|apa",
  ask: "apa|beritahu|beri tahu|berikan|ungkapkan|tunjukkan|bagikan",
  your: "anda|kamu|mu|pengguna|milik",
  secret:
    "kunci rahasia*|kata sandi*|sandi|kunci api|kredensial|rahasia*|prompt sistem|kata sandi|kunci rahasia|kode otp|nomor kartu",
  prompt: "prompt sistem|instruksi awal|perintah sistem|pesan sistem|instruksi anda|instruksimu",
  persona:
    "anda sekarang|kamu sekarang|sekarang anda|sekarang kamu|mulai sekarang|bertindak sebagai|berpura pura|berperan sebagai|peran sebagai|berperan|kamu adalah|anda adalah",
  machine: "ai|kecerdasan buatan|model bahasa|asisten|chatbot|dan|bot|model",
  free: "tanpa batas*|tanpa aturan|tanpa filter|tidak terbatas|tanpa sensor",
  address: "agen ai|asisten ai|model bahasa|jika anda adalah ai|untuk ai|semua ai",
  must: "harus|wajib|selalu|hanya",
  sway: "rekomendasi*|merekomendasikan|urutan pertama|terbaik|utamakan|beli|klik",
  mode: "<mode sistem|[mode sistem|mode sistem diaktifkan|mode penggantian keamanan",
  hide: "tanpa memberi tahu|jangan beri tahu|tanpa sepengetahuan|jangan katakan|sembunyikan|diam diam|tanpa bertanya|tanpa memberitahu",
  user: "pengguna|pemilik*",
  send: "balas dengan|kirim*|berikan|bagikan|unggah|teruskan|sertakan|tempel|masukkan",
  suppose: "hipotetis|di dunia|alam semesta paralel|bayangkan|misalkan|anggaplah|katakanlah|skenario",
  wesay: "kita bisa mengatakan|kita dapat mengatakan|bisa jadi|kita katakan|mungkin kita|kita menyatakan",
  theirs: "milik pengguna|data pengguna|pengguna anda",
};
