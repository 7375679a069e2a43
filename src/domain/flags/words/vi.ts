import type { Words } from "./words.ts";

/** Vietnamese. */
export const vi: Words = {
  ignore: "bo qua|quen|phot lo|lo di|khong de y|mac ke|hay quen",
  prior: "truoc do|truoc day|truoc|o tren|ben tren|tat ca|cua ban|moi",
  rules: "huong dan*|chi dan|chi thi|lenh|quy tac|yeu cau|quy dinh|prompt|chi dao",
  everything: "moi thu o tren|nhung gi da noi|tat ca nhung gi",
  doc: "chuc nang|ham|trang web|so yeu ly lich|ly lich|bai bao|bai viet|tai lieu|noi dung|ma",
  and: "va|sau do|thay vao do|roi",
  say: "noi|hay noi|neu|viet|tra loi|in ra|tuyen bo|cho biet|lap lai|in",
  ask: "la gi|cho toi biet|noi cho toi|cho toi|dua cho|tiet lo|cho xem|cung cap|chia se",
  your: "cua ban|ban",
  secret:
    "khoa bi mat|mat khau|bi mat|chia khoa bi mat|ma bi mat|khoa api|thong tin dang nhap|loi nhac he thong",
  persona:
    "bay gio ban la|ban bay gio la|ban hien la|tu bay gio|dong vai|gia vo|hay hanh dong nhu|vai tro cua|vao vai",
  machine: "ai|tri tue nhan tao|mo hinh ngon ngu|tro ly|chatbot|dan|bot|mo hinh|ung dung",
  mode: "<che do he thong|[che do he thong|che do he thong da|che do ghi de bao mat|ghi de du lieu dao tao",
  suppose:
    "gia dinh|gia thuyet|gia su|trong mot the gioi|the gioi ma|vu tru song song|hay tuong tuong|kich ban|tuong tuong",
  wesay:
    "chung ta co the noi|co the noi|chung toi co the|co the la|chung ta noi|chung toi noi|hay noi|chung ta bo qua|chung ta tuyen bo",
};
