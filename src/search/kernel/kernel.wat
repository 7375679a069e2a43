;; Dot products of int8 vectors, exact, and scores estimated from their sign codes, many rows a call. Row counts may be 0.
;;
;; A vector is $width components of one byte, a multiple of 16. The query of a dot product lies at $query with each
;; component already widened to i16 (2 * $width bytes). Sums are exact in i32.
;; The memory comes from outside and is shared: each thread runs a kernel of its own over the same vectors.
(module
  (import "shared" "memory" (memory 1 65536 shared))

  ;; Dot products of the rows $rows, $rows + $width, …, to $out, one i32 each.
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

  ;; The same for the rows whose numbers (u32), counted from $rows, lie at $list.
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

  ;; Finds the records whose dot product reaches their own floor, or all when $all is 1; their numbers (u32) lie at $list.
  ;; A record has $size bytes: a vector, a name (u32) and floors (i32), of which the one $floor bytes from the start counts.
  ;; Writes names and dot products to $out, where room for $count is needed; gives the end of what it wrote.
  (func (export "recordsReaching") (param $query i32) (param $records i32) (param $list i32) (param $count i32) (param $width i32) (param $size i32) (param $floor i32) (param $all i32) (param $out i32) (result i32)
    (local $end i32) (local $record i32) (local $dot i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
        (local.set $record
          (i32.add (local.get $records) (i32.mul (i32.load (local.get $list)) (local.get $size))))
        (local.set $dot (call $dot (local.get $query) (local.get $record) (local.get $width)))
        (i32.store (local.get $out) (i32.load (i32.add (local.get $record) (local.get $width))))
        (i32.store offset=4 (local.get $out) (local.get $dot))
        ;; Always written; $out moves on only when the record is kept.
        (local.set $out
          (i32.add
            (local.get $out)
            (i32.shl
              (i32.or
                (i32.ge_s (local.get $dot) (i32.load (i32.add (local.get $record) (local.get $floor))))
                (local.get $all))
              (i32.const 3))))
        (local.set $list (i32.add (local.get $list) (i32.const 4)))
        (br $next)))
    (local.get $out))

  ;; Estimates the fused score of each of $count posts from its sign code, $width bytes apart, as a step from the best (0)
  ;; down: what $stepOf (f32) holds for the number of bits in which the code differs from the one at $query, less the
  ;; post's score by words at $scores (f32) times $perWord. Writes one u16 each to $steps, and counts it at $counts (u32).
  ;; A code has a multiple of 16 bytes, at most 496, so that no sum of bytes overflows.
  (func (export "estimate") (param $query i32) (param $codes i32) (param $count i32) (param $width i32) (param $stepOf i32) (param $scores i32) (param $perWord f32) (param $counts i32) (param $steps i32)
    (local $end i32) (local $at i32) (local $step i32) (local $bits v128)
    (local.set $end (i32.add (local.get $steps) (i32.shl (local.get $count) (i32.const 1))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $steps) (local.get $end)))
        (local.set $at (i32.const 0))
        (local.set $bits (v128.const i32x4 0 0 0 0))
        (loop $part
          (local.set $bits
            (i8x16.add
              (local.get $bits)
              (i8x16.popcnt
                (v128.xor
                  (v128.load (i32.add (local.get $query) (local.get $at)))
                  (v128.load (i32.add (local.get $codes) (local.get $at)))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $part (i32.lt_u (local.get $at) (local.get $width))))
        (local.set $bits (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bits))))
        ;; Below the best there is nothing: the conversion of a negative number gives 0.
        (local.set $step
          (i32.trunc_sat_f32_u
            (f32.sub
              (f32.load
                (i32.add
                  (local.get $stepOf)
                  (i32.shl
                    (i32.add
                      (i32.add (i32x4.extract_lane 0 (local.get $bits)) (i32x4.extract_lane 1 (local.get $bits)))
                      (i32.add (i32x4.extract_lane 2 (local.get $bits)) (i32x4.extract_lane 3 (local.get $bits))))
                    (i32.const 2))))
              (f32.mul (local.get $perWord) (f32.load (local.get $scores))))))
        (i32.store16 (local.get $steps) (local.get $step))
        (local.set $at (i32.add (local.get $counts) (i32.shl (local.get $step) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $codes (i32.add (local.get $codes) (local.get $width)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (local.set $steps (i32.add (local.get $steps) (i32.const 2)))
        (br $next))))

  ;; Finds the steps of at most $last among $count, a multiple of 8: writes their numbers, counted from $first, as u32 to
  ;; $out, where room for $count is needed; gives the end of what it wrote.
  (func (export "stepsUpTo") (param $steps i32) (param $count i32) (param $last i32) (param $first i32) (param $out i32) (result i32)
    (local $end i32) (local $bits i32) (local $most v128)
    (local.set $end (i32.add (local.get $steps) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $most (i16x8.splat (local.get $last)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $steps) (local.get $end)))
        (local.set $bits (i16x8.bitmask (i16x8.le_u (v128.load (local.get $steps)) (local.get $most))))
        (block $none
          (loop $one
            (br_if $none (i32.eqz (local.get $bits)))
            (i32.store (local.get $out) (i32.add (local.get $first) (i32.ctz (local.get $bits))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br $one)))
        (local.set $first (i32.add (local.get $first) (i32.const 8)))
        (local.set $steps (i32.add (local.get $steps) (i32.const 16)))
        (br $next)))
    (local.get $out))

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
