;; Int8 vectors and sign codes, exact and many rows a call. Row counts may be 0.
;;
;; A vector is $width components of one byte, a multiple of 16. The query of a dot product lies at $query with each
;; component already widened to i16 (2 * $width bytes). Sums are exact in i32.
(module
  (memory (export "memory") 1 65536)

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

  ;; The same of the rows whose numbers (u32) lie at $list, counted from $rows.
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

  ;; Of the codes at $codes ($width bytes each, a multiple of 16, at most 496), those that differ from the code at $code in
  ;; at most as many bits as their own limit (u16 at $limits): copies what stands in their place at $names (u32) to $out.
  ;; Gives the end of what it wrote; room for $count is needed.
  (func (export "codesWithin") (param $code i32) (param $codes i32) (param $limits i32) (param $names i32) (param $count i32) (param $width i32) (param $out i32) (result i32)
    (local $end i32) (local $at i32) (local $stop i32) (local $bits v128)
    (local.set $end (i32.add (local.get $names) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $names) (local.get $end)))
        (local.set $bits (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $code))
        (local.set $stop (i32.add (local.get $code) (local.get $width)))
        (loop $more
          (local.set $bits
            (i8x16.add
              (local.get $bits)
              (i8x16.popcnt (v128.xor (v128.load (local.get $at)) (v128.load (local.get $codes))))))
          (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $more (i32.lt_u (local.get $at) (local.get $stop))))
        ;; Written always and kept or not: half of the answers would surprise a branch.
        (i32.store (local.get $out) (i32.load (local.get $names)))
        (local.set $out
          (i32.add
            (local.get $out)
            (i32.shl
              (i32.le_u (call $sum (local.get $bits)) (i32.load16_u (local.get $limits)))
              (i32.const 2))))
        (local.set $limits (i32.add (local.get $limits) (i32.const 2)))
        (local.set $names (i32.add (local.get $names) (i32.const 4)))
        (br $next)))
    (local.get $out))

  ;; Of the records whose addresses (u32) lie at $list, those whose dot product reaches their own floor, or all when $all is 1.
  ;; A record is a vector, its name (u32) and floors (i32), of which the one $floor bytes behind the vector counts; 256 bytes from its start can be read. Writes name and dot product; gives the end of what it wrote;
  ;; room for $count is needed.
  (func (export "recordsReaching") (param $query i32) (param $list i32) (param $count i32) (param $width i32) (param $floor i32) (param $all i32) (param $out i32) (result i32)
    (local $end i32) (local $record i32) (local $dot i32) (local $ahead i32) (local $touched i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
        ;; Records lie apart: the eighth from here is asked for now, so that it has come from memory when it is its turn.
        (local.set $ahead (i32.add (local.get $list) (i32.const 32)))
        (if (i32.lt_u (local.get $ahead) (local.get $end))
          (then
            (local.set $record (i32.load (local.get $ahead)))
            (local.set $touched
              (i32.add
                (local.get $touched)
                (i32.add
                  (i32.add (i32.load8_u (local.get $record)) (i32.load8_u offset=64 (local.get $record)))
                  (i32.add (i32.load8_u offset=128 (local.get $record)) (i32.load8_u offset=192 (local.get $record))))))))
        (local.set $record (i32.load (local.get $list)))
        (local.set $dot (call $dot (local.get $query) (local.get $record) (local.get $width)))
        (local.set $record (i32.add (local.get $record) (local.get $width)))
        (i32.store (local.get $out) (i32.load (local.get $record)))
        (i32.store offset=4 (local.get $out) (local.get $dot))
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
    ;; Adds nothing, and keeps the loads above from being optimised away.
    (i32.add (local.get $out) (i32.and (local.get $touched) (i32.const 0))))

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
      (i32.add (i32x4.extract_lane 2 (local.get $low)) (i32x4.extract_lane 3 (local.get $low)))))

  ;; The sum of 16 bytes without sign.
  (func $sum (param $bytes v128) (result i32)
    (local.set $bytes (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bytes))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $bytes)) (i32x4.extract_lane 1 (local.get $bytes)))
      (i32.add (i32x4.extract_lane 2 (local.get $bytes)) (i32x4.extract_lane 3 (local.get $bytes))))))
