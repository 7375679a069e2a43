import type { Words } from "./words.ts";

/** Vietnamese. */
export const vi: Words = {
  not: "đừng|không bao giờ|chớ",
  talk: "bài giảng|tấn công|lừa đảo|câu|hội thảo|nghiên cứu",
  ignore:
    "bo qua|quen|phot lo|lo di|khong de y|mac ke|hay quen|bỏ qua|quên|phớt lờ|lờ đi|đừng tuân theo|không tuân theo",
  prior:
    "truoc do|truoc day|truoc|o tren|ben tren|tat ca|cua ban|moi|trước đây|trước đó|mọi|tất cả|ở trên|trước|ban đầu|của bạn",
  own: "của bạn|bạn được|bạn đã nhận",
  rules:
    "huong dan*|chi dan|chi thi|lenh|quy tac|yeu cau|quy dinh|prompt|chi dao|chỉ dẫn|hướng dẫn|chỉ thị|mệnh lệnh|quy tắc|lệnh|quy định",
  everything: "moi thu o tren|nhung gi da noi|tat ca nhung gi",
  doc: "chuc nang|ham|trang web|so yeu ly lich|ly lich|bai bao|bai viet|tai lieu|noi dung|ma",
  and: "va|sau do|thay vao do|roi",
  say: "noi|hay noi|neu|viet|tra loi|in ra|tuyen bo|cho biet|lap lai|in",
  repeat: "hiển thị|in ra|lặp lại|viết ra|cho tôi xem|tiết lộ|cho biết|sao chép",
  ask: "la gi|cho toi biet|noi cho toi|cho toi|dua cho|tiet lo|cho xem|cung cap|chia se",
  your: "cua ban|ban|của bạn|của người dùng",
  secret:
    "khoa bi mat|mat khau|bi mat|chia khoa bi mat|ma bi mat|khoa api|thong tin dang nhap|loi nhac he thong|khóa api|mật khẩu|mã thông báo|khóa bí mật|thông tin đăng nhập|mã xác nhận|chìa khóa bí mật",
  prompt: "lời nhắc hệ thống|câu lệnh hệ thống|hướng dẫn ban đầu|chỉ dẫn hệ thống|hướng dẫn của bạn",
  persona:
    "bay gio ban la|ban bay gio la|ban hien la|tu bay gio|dong vai|gia vo|hay hanh dong nhu|vai tro cua|vao vai|bây giờ bạn là|từ bây giờ|hãy đóng vai|giả vờ|bạn là",
  machine:
    "ai|tri tue nhan tao|mo hinh ngon ngu|tro ly|chatbot|dan|bot|mo hinh|ung dung|mô hình|trợ lý|trí tuệ nhân tạo",
  free: "không giới hạn|không có giới hạn|không bị hạn chế|không có quy tắc|không kiểm duyệt",
  address: "các trợ lý ai|các ai|các mô hình ngôn ngữ|nếu bạn là ai|tác nhân ai",
  must: "phải|bắt buộc|luôn|chỉ",
  sway: "giới thiệu|đề xuất|đứng đầu|tốt nhất|ưu tiên|nhấp|mua",
  mode: "<che do he thong|[che do he thong|che do he thong da|che do ghi de bao mat|ghi de du lieu dao tao",
  hide: "không cho|mà không|đừng nói|không nói|không thông báo|giấu|lén",
  user: "người dùng biết|người dùng|chủ của bạn",
  send: "gửi|cung cấp|chia sẻ|đăng|chuyển|trả lời bằng|nhập",
  suppose:
    "gia dinh|gia thuyet|gia su|trong mot the gioi|the gioi ma|vu tru song song|hay tuong tuong|kich ban|tuong tuong",
  wesay:
    "chung ta co the noi|co the noi|chung toi co the|co the la|chung ta noi|chung toi noi|hay noi|chung ta bo qua|chung ta tuyen bo",
  theirs: "của người dùng",
};
