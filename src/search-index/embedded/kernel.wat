;; Dot products of int8 vectors, exact in i32: one query against many rows.
;;
;; The query lies at $query, each component already widened to i16 (2 * $width bytes). Rows are $width bytes each; $width is
;; a multiple of 16. Sums are written to $out, one i32 per row. Row counts may be 0.
(module
  (memory (export "memory") 1 65536)

  ;; Rows $rows, $rows + $width, …
  (func (export "dots") (param $query i32) (param $rows i32) (param $count i32) (param $width i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (i32.store (local.get $out) (call $dot (local.get $query) (local.get $rows) (local.get $width)))
        (local.set $rows (i32.add (local.get $rows) (local.get $width)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; The rows whose numbers (u32) lie at $list, counted from $rows.
  (func (export "dotsOf") (param $query i32) (param $rows i32) (param $list i32) (param $count i32) (param $width i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (i32.store
          (local.get $out)
          (call $dot
            (local.get $query)
            (i32.add (local.get $rows) (i32.mul (i32.load (local.get $list)) (local.get $width)))
            (local.get $width)))
        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; One row: 16 components a turn, in two sums so that additions need not wait for each other.
  (func $dot (param $query i32) (param $row i32) (param $width i32) (result i32)
    (local $end i32) (local $low v128) (local $high v128) (local $bytes v128)
    (local.set $end (i32.add (local.get $row) (local.get $width)))
    (loop $next
      (local.set $bytes (v128.load (local.get $row)))
      (local.set $low
        (i32x4.add
          (local.get $low)
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (v128.load (local.get $query)))))
      (local.set $high
        (i32x4.add
          (local.get $high)
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (v128.load offset=16 (local.get $query)))))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $row) (local.get $end))))
    (local.set $low (i32x4.add (local.get $low) (local.get $high)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $low)) (i32x4.extract_lane 1 (local.get $low)))
      (i32.add (i32x4.extract_lane 2 (local.get $low)) (i32x4.extract_lane 3 (local.get $low))))))
