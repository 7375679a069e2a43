;; Exact dot products of int8 vectors and differences of their sign codes, many rows a call. Row counts may be 0.
;;
;; A vector is $width components of one byte, a multiple of 16. The query of a dot product lies at $query with each
;; component already widened to i16 (2 * $width bytes). Sums are exact in i32.
;; The memory comes from outside. It is a shared one, since views of such a memory stay valid when it grows.
(module
  (import "shared" "memory" (memory 1 65536 shared))

  ;; Dot products of the rows $rows, $rows + $width, …, to $out, one i32 each.
  (func (export "dots") (param $query i32) (param $rows i32) (param $count i32) (param $width i32) (param $out i32)
    (local $end i32) (local $r1 i32) (local $r2 i32) (local $r3 i32) (local $r4 i32)
    (local.set $r1 (local.get $width))
    (local.set $r2 (i32.shl (local.get $width) (i32.const 1)))
    (local.set $r3 (i32.add (local.get $r1) (local.get $r2)))
    (local.set $r4 (i32.shl (local.get $width) (i32.const 2)))
    (local.set $end (i32.add (local.get $out) (i32.shl (i32.and (local.get $count) (i32.const -4)) (i32.const 2))))
    (block $few
      (loop $four
        (br_if $few (i32.ge_u (local.get $out) (local.get $end)))
        (v128.store (local.get $out)
          (call $dots4
            (local.get $query)
            (local.get $rows)
            (i32.add (local.get $rows) (local.get $r1))
            (i32.add (local.get $rows) (local.get $r2))
            (i32.add (local.get $rows) (local.get $r3))
            (local.get $width)))
        (local.set $rows (i32.add (local.get $rows) (local.get $r4)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $four)))
    (local.set $end (i32.add (local.get $end) (i32.shl (i32.and (local.get $count) (i32.const 3)) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (i32.store (local.get $out) (call $dot (local.get $query) (local.get $rows) (local.get $width)))
        (local.set $rows (i32.add (local.get $rows) (local.get $width)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; The same for the rows whose numbers (u32), counted from $rows, lie at $list.
  (func (export "dotsOf") (param $query i32) (param $rows i32) (param $list i32) (param $count i32) (param $width i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (i32.and (local.get $count) (i32.const -4)) (i32.const 2))))
    (block $few
      (loop $four
        (br_if $few (i32.ge_u (local.get $out) (local.get $end)))
        (v128.store (local.get $out)
          (call $dots4
            (local.get $query)
            (i32.add (local.get $rows) (i32.mul (i32.load (local.get $list)) (local.get $width)))
            (i32.add (local.get $rows) (i32.mul (i32.load offset=4 (local.get $list)) (local.get $width)))
            (i32.add (local.get $rows) (i32.mul (i32.load offset=8 (local.get $list)) (local.get $width)))
            (i32.add (local.get $rows) (i32.mul (i32.load offset=12 (local.get $list)) (local.get $width)))
            (local.get $width)))
        (local.set $list (i32.add (local.get $list) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $four)))
    (local.set $end (i32.add (local.get $end) (i32.shl (i32.and (local.get $count) (i32.const 3)) (i32.const 2))))
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

  ;; In how many bits $count codes, a multiple of 4, differ from the query's: one u16 each to $out, and how often each number
  ;; occurs is counted at $counts (u32). Codes of $width bytes, a multiple of 16, lie at $codes. Bits are counted 64 at a time,
  ;; which one instruction does, where those of a vector register take eight.
  (func (export "differences") (param $query i32) (param $codes i32) (param $count i32) (param $width i32) (param $counts i32) (param $out i32)
    (local $end i32) (local $at i32) (local $stop i32) (local $r1 i32) (local $r2 i32) (local $r3 i32) (local $q i32)
    (local $part i64) (local $d0 i64) (local $d1 i64) (local $d2 i64) (local $d3 i64)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $r1 (local.get $width))
    (local.set $r2 (i32.shl (local.get $width) (i32.const 1)))
    (local.set $r3 (i32.add (local.get $r1) (local.get $r2)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $d0 (i64.const 0))
        (local.set $d1 (i64.const 0))
        (local.set $d2 (i64.const 0))
        (local.set $d3 (i64.const 0))
        (local.set $q (local.get $query))
        (local.set $at (local.get $codes))
        (local.set $stop (i32.add (local.get $codes) (local.get $width)))
        (loop $parts
          (local.set $part (i64.load (local.get $q)))
          (local.set $d0
            (i64.add (local.get $d0) (i64.popcnt (i64.xor (local.get $part) (i64.load (local.get $at))))))
          (local.set $d1
            (i64.add (local.get $d1) (i64.popcnt (i64.xor (local.get $part) (i64.load (i32.add (local.get $at) (local.get $r1)))))))
          (local.set $d2
            (i64.add (local.get $d2) (i64.popcnt (i64.xor (local.get $part) (i64.load (i32.add (local.get $at) (local.get $r2)))))))
          (local.set $d3
            (i64.add (local.get $d3) (i64.popcnt (i64.xor (local.get $part) (i64.load (i32.add (local.get $at) (local.get $r3)))))))
          (local.set $part (i64.load offset=8 (local.get $q)))
          (local.set $d0
            (i64.add (local.get $d0) (i64.popcnt (i64.xor (local.get $part) (i64.load offset=8 (local.get $at))))))
          (local.set $d1
            (i64.add (local.get $d1) (i64.popcnt (i64.xor (local.get $part) (i64.load offset=8 (i32.add (local.get $at) (local.get $r1)))))))
          (local.set $d2
            (i64.add (local.get $d2) (i64.popcnt (i64.xor (local.get $part) (i64.load offset=8 (i32.add (local.get $at) (local.get $r2)))))))
          (local.set $d3
            (i64.add (local.get $d3) (i64.popcnt (i64.xor (local.get $part) (i64.load offset=8 (i32.add (local.get $at) (local.get $r3)))))))
          (local.set $q (i32.add (local.get $q) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $parts (i32.lt_u (local.get $at) (local.get $stop))))
        (i64.store
          (local.get $out)
          (i64.or
            (i64.or (local.get $d0) (i64.shl (local.get $d1) (i64.const 16)))
            (i64.or (i64.shl (local.get $d2) (i64.const 32)) (i64.shl (local.get $d3) (i64.const 48)))))
        (local.set $at (i32.add (local.get $counts) (i32.shl (i32.wrap_i64 (local.get $d0)) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $at (i32.add (local.get $counts) (i32.shl (i32.wrap_i64 (local.get $d1)) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $at (i32.add (local.get $counts) (i32.shl (i32.wrap_i64 (local.get $d2)) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $at (i32.add (local.get $counts) (i32.shl (i32.wrap_i64 (local.get $d3)) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $codes (i32.add (local.get $codes) (i32.shl (local.get $width) (i32.const 2))))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (br $next))))

  ;; Four rows at a time: each part of the query is read once for all of them, and while one row is on its way from memory
  ;; the others are too.
  (func $dots4 (param $query i32) (param $row0 i32) (param $row1 i32) (param $row2 i32) (param $row3 i32) (param $width i32) (result v128)
    (local $end i32) (local $low v128) (local $high v128) (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local.set $end (i32.add (local.get $row0) (local.get $width)))
    (loop $next
      (local.set $low (v128.load (local.get $query)))
      (local.set $high (v128.load offset=16 (local.get $query)))
      (local.set $s0
        (i32x4.add
          (local.get $s0)
          (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row0)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row0)) (local.get $high)))))
      (local.set $row0 (i32.add (local.get $row0) (i32.const 16)))
      (local.set $s1
        (i32x4.add
          (local.get $s1)
          (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row1)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row1)) (local.get $high)))))
      (local.set $row1 (i32.add (local.get $row1) (i32.const 16)))
      (local.set $s2
        (i32x4.add
          (local.get $s2)
          (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row2)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row2)) (local.get $high)))))
      (local.set $row2 (i32.add (local.get $row2) (i32.const 16)))
      (local.set $s3
        (i32x4.add
          (local.get $s3)
          (i32x4.add
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row3)) (local.get $low))
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row3)) (local.get $high)))))
      (local.set $row3 (i32.add (local.get $row3) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $row0) (local.get $end))))
    (call $sums (local.get $s0) (local.get $s1) (local.get $s2) (local.get $s3)))

  ;; The sums of four rows, each in a lane of its own.
  (func $sums (param $s0 v128) (param $s1 v128) (param $s2 v128) (param $s3 v128) (result v128)
    (local.set $s0
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $s0) (local.get $s1))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $s0) (local.get $s1))))
    (local.set $s2
      (i32x4.add
        (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $s2) (local.get $s3))
        (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $s2) (local.get $s3))))
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $s0) (local.get $s2))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $s0) (local.get $s2))))

  ;; One row: 16 components a turn, in two sums so that additions need not wait for each other.
  (func $dot (param $query i32) (param $row i32) (param $width i32) (result i32)
    (local $end i32) (local $low v128) (local $high v128)
    (local.set $end (i32.add (local.get $row) (local.get $width)))
    (loop $next
      (local.set $low
        (i32x4.add
          (local.get $low)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $query)))))
      (local.set $high
        (i32x4.add
          (local.get $high)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $query)))))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $row) (local.get $end))))
    (local.set $low (i32x4.add (local.get $low) (local.get $high)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $low)) (i32x4.extract_lane 1 (local.get $low)))
      (i32.add (i32x4.extract_lane 2 (local.get $low)) (i32x4.extract_lane 3 (local.get $low))))))
