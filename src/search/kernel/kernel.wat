;; Dot products of int8 vectors, exact, differences of their sign codes, and sums of words, many rows a call. Row counts may be 0.
;;
;; A vector is $width components of one byte, a multiple of 16. The query of a dot product lies at $query with each
;; component already widened to i16 (2 * $width bytes). Sums are exact in i32.
;; The memory comes from outside and is shared: each thread runs a kernel of its own over the same vectors.
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

  ;; In how many bits $count codes, a multiple of 4, differ from the query's: one u16 each to $out, and how often each number
  ;; occurs is counted at $counts (u32). The first 16 bytes of the codes lie at $firsts, the rest of each, $width bytes, a
  ;; multiple of 16 or none, at $rests. Bits are counted 64 at a time, which one instruction does, where those of a vector
  ;; register take eight.
  (func (export "differences") (param $query i32) (param $firsts i32) (param $rests i32) (param $count i32) (param $width i32) (param $counts i32) (param $out i32)
    (local $end i32) (local $at i32) (local $stop i32) (local $r1 i32) (local $r2 i32) (local $r3 i32) (local $q i32)
    (local $low i64) (local $high i64) (local $d0 i64) (local $d1 i64) (local $d2 i64) (local $d3 i64)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $r1 (local.get $width))
    (local.set $r2 (i32.shl (local.get $width) (i32.const 1)))
    (local.set $r3 (i32.add (local.get $r1) (local.get $r2)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $low (i64.load (local.get $query)))
        (local.set $high (i64.load offset=8 (local.get $query)))
        (local.set $d0
          (i64.add
            (i64.popcnt (i64.xor (local.get $low) (i64.load (local.get $firsts))))
            (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (local.get $firsts))))))
        (local.set $d1
          (i64.add
            (i64.popcnt (i64.xor (local.get $low) (i64.load offset=16 (local.get $firsts))))
            (i64.popcnt (i64.xor (local.get $high) (i64.load offset=24 (local.get $firsts))))))
        (local.set $d2
          (i64.add
            (i64.popcnt (i64.xor (local.get $low) (i64.load offset=32 (local.get $firsts))))
            (i64.popcnt (i64.xor (local.get $high) (i64.load offset=40 (local.get $firsts))))))
        (local.set $d3
          (i64.add
            (i64.popcnt (i64.xor (local.get $low) (i64.load offset=48 (local.get $firsts))))
            (i64.popcnt (i64.xor (local.get $high) (i64.load offset=56 (local.get $firsts))))))
        (local.set $q (local.get $query))
        (local.set $at (local.get $rests))
        (local.set $stop (i32.add (local.get $rests) (local.get $width)))
        (block $whole
          (loop $parts
            (br_if $whole (i32.ge_u (local.get $at) (local.get $stop)))
            (local.set $q (i32.add (local.get $q) (i32.const 16)))
            (local.set $low (i64.load (local.get $q)))
            (local.set $high (i64.load offset=8 (local.get $q)))
            (local.set $d0
              (i64.add
                (i64.add (local.get $d0) (i64.popcnt (i64.xor (local.get $low) (i64.load (local.get $at)))))
                (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (local.get $at))))))
            (local.set $d1
              (i64.add
                (i64.add (local.get $d1) (i64.popcnt (i64.xor (local.get $low) (i64.load (i32.add (local.get $at) (local.get $r1))))))
                (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (i32.add (local.get $at) (local.get $r1)))))))
            (local.set $d2
              (i64.add
                (i64.add (local.get $d2) (i64.popcnt (i64.xor (local.get $low) (i64.load (i32.add (local.get $at) (local.get $r2))))))
                (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (i32.add (local.get $at) (local.get $r2)))))))
            (local.set $d3
              (i64.add
                (i64.add (local.get $d3) (i64.popcnt (i64.xor (local.get $low) (i64.load (i32.add (local.get $at) (local.get $r3))))))
                (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (i32.add (local.get $at) (local.get $r3)))))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $parts)))
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
        (local.set $firsts (i32.add (local.get $firsts) (i32.const 64)))
        (local.set $rests (i32.add (local.get $rests) (i32.shl (local.get $width) (i32.const 2))))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (br $next))))

  ;; Sifts $count such codes, a multiple of 4, by their first 16 bytes: of each that differs there in at most $most bits, its
  ;; number, counted from $first, and in how many bits all of it differs go to $out, two u32; there is room for $count. How
  ;; often each of these differences occurs is counted at $counts (u32). Gives the end of what it wrote. The rests are read
  ;; once all numbers are known: then one is not waited for before the next is asked for.
  (func (export "sift") (param $query i32) (param $firsts i32) (param $rests i32) (param $count i32) (param $width i32) (param $most i32) (param $first i32) (param $counts i32) (param $out i32) (result i32)
    (local $end i32) (local $place i32) (local $found i32) (local $at i32) (local $stop i32) (local $q i32) (local $bits i64) (local $low i64) (local $high i64) (local $last i64)
    (local.set $low (i64.load (local.get $query)))
    (local.set $high (i64.load offset=8 (local.get $query)))
    (local.set $last (i64.extend_i32_u (local.get $most)))
    (local.set $found (local.get $out))
    (block $all
      (loop $four
        (br_if $all (i32.ge_u (local.get $place) (local.get $count)))
        ;; Each is written; $found moves on only when the code is kept.
        (i32.store (local.get $found) (local.get $place))
        (local.set $found
          (i32.add
            (local.get $found)
            (i32.shl
              (i64.le_u
                (i64.add
                  (i64.popcnt (i64.xor (local.get $low) (i64.load (local.get $firsts))))
                  (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (local.get $firsts)))))
                (local.get $last))
              (i32.const 3))))
        (i32.store (local.get $found) (i32.add (local.get $place) (i32.const 1)))
        (local.set $found
          (i32.add
            (local.get $found)
            (i32.shl
              (i64.le_u
                (i64.add
                  (i64.popcnt (i64.xor (local.get $low) (i64.load offset=16 (local.get $firsts))))
                  (i64.popcnt (i64.xor (local.get $high) (i64.load offset=24 (local.get $firsts)))))
                (local.get $last))
              (i32.const 3))))
        (i32.store (local.get $found) (i32.add (local.get $place) (i32.const 2)))
        (local.set $found
          (i32.add
            (local.get $found)
            (i32.shl
              (i64.le_u
                (i64.add
                  (i64.popcnt (i64.xor (local.get $low) (i64.load offset=32 (local.get $firsts))))
                  (i64.popcnt (i64.xor (local.get $high) (i64.load offset=40 (local.get $firsts)))))
                (local.get $last))
              (i32.const 3))))
        (i32.store (local.get $found) (i32.add (local.get $place) (i32.const 3)))
        (local.set $found
          (i32.add
            (local.get $found)
            (i32.shl
              (i64.le_u
                (i64.add
                  (i64.popcnt (i64.xor (local.get $low) (i64.load offset=48 (local.get $firsts))))
                  (i64.popcnt (i64.xor (local.get $high) (i64.load offset=56 (local.get $firsts)))))
                (local.get $last))
              (i32.const 3))))
        (local.set $firsts (i32.add (local.get $firsts) (i32.const 64)))
        (local.set $place (i32.add (local.get $place) (i32.const 4)))
        (br $four)))
    (local.set $firsts (i32.sub (local.get $firsts) (i32.shl (local.get $count) (i32.const 4))))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $out) (local.get $found)))
        (local.set $place (i32.load (local.get $out)))
        (local.set $at (i32.add (local.get $firsts) (i32.shl (local.get $place) (i32.const 4))))
        (local.set $bits
          (i64.add
            (i64.popcnt (i64.xor (local.get $low) (i64.load (local.get $at))))
            (i64.popcnt (i64.xor (local.get $high) (i64.load offset=8 (local.get $at))))))
        (local.set $q (local.get $query))
        (local.set $at (i32.add (local.get $rests) (i32.mul (local.get $place) (local.get $width))))
        (local.set $stop (i32.add (local.get $at) (local.get $width)))
        (block $whole
          (loop $parts
            (br_if $whole (i32.ge_u (local.get $at) (local.get $stop)))
            (local.set $q (i32.add (local.get $q) (i32.const 16)))
            (local.set $bits
              (i64.add
                (i64.add (local.get $bits) (i64.popcnt (i64.xor (i64.load (local.get $q)) (i64.load (local.get $at)))))
                (i64.popcnt (i64.xor (i64.load offset=8 (local.get $q)) (i64.load offset=8 (local.get $at))))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $parts)))
        (i32.store (local.get $out) (i32.add (local.get $first) (local.get $place)))
        (i64.store32 offset=4 (local.get $out) (local.get $bits))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (local.set $at (i32.add (local.get $counts) (i32.shl (i32.wrap_i64 (local.get $bits)) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (br $one)))
    (local.get $found))

  ;; Estimates the fused scores of $count rows of a block from their differences, u16 at $differences by their place in it:
  ;; each as a step from the best (0) down. $rows are their numbers (u32), $scores and $coverage (f32) what words say of
  ;; them. $byCoverage has two f32 for each of $coverageSteps + 1 steps of coverage: what a score of 1 adds, and the least
  ;; meaning. $cosines has the cosine (f32) of each difference. A step is what a score lacks to $best, times $perUnit.
  ;; Writes one u16 each to $out, and counts at $counts (u32) how often each step occurs, at $differing each difference.
  (func (export "estimate") (param $rows i32) (param $scores i32) (param $coverage i32) (param $count i32) (param $differences i32) (param $mask i32) (param $byCoverage i32) (param $coverageSteps f32) (param $cosines i32) (param $best f32) (param $perUnit f32) (param $counts i32) (param $differing i32) (param $out i32)
    (local $end i32) (local $bits i32) (local $entry i32) (local $step i32)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $bits
          (i32.load16_u
            (i32.add
              (local.get $differences)
              (i32.shl (i32.and (i32.load (local.get $rows)) (local.get $mask)) (i32.const 1)))))
        ;; Sums of shares may pass 1 by a hair.
        (local.set $entry
          (i32.add
            (local.get $byCoverage)
            (i32.shl
              (i32.trunc_sat_f32_u
                (f32.min
                  (local.get $coverageSteps)
                  (f32.add
                    (f32.mul (f32.load (local.get $coverage)) (local.get $coverageSteps))
                    (f32.const 0.5))))
              (i32.const 3))))
        ;; Above the best there is nothing: the conversion of a negative number gives 0.
        (local.set $step
          (i32.trunc_sat_f32_u
            (f32.mul
              (local.get $perUnit)
              (f32.sub
                (local.get $best)
                (f32.add
                  (f32.max
                    (f32.load (i32.add (local.get $cosines) (i32.shl (local.get $bits) (i32.const 2))))
                    (f32.load offset=4 (local.get $entry)))
                  (f32.mul (f32.load (local.get $entry)) (f32.load (local.get $scores))))))))
        (i32.store16 (local.get $out) (local.get $step))
        (local.set $step (i32.add (local.get $counts) (i32.shl (local.get $step) (i32.const 2))))
        (i32.store (local.get $step) (i32.add (i32.load (local.get $step)) (i32.const 1)))
        (local.set $bits (i32.add (local.get $differing) (i32.shl (local.get $bits) (i32.const 2))))
        (i32.store (local.get $bits) (i32.add (i32.load (local.get $bits)) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (local.set $coverage (i32.add (local.get $coverage) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br $next))))

  ;; Finds the u16 of at most $last among $count, a multiple of 8: writes their places, counted from $first, as u32 to
  ;; $out, where room for $count is needed; gives the end of what it wrote.
  (func (export "placesUpTo") (param $numbers i32) (param $count i32) (param $last i32) (param $first i32) (param $out i32) (result i32)
    (local $end i32) (local $bits i32) (local $most v128)
    (local.set $end (i32.add (local.get $numbers) (i32.shl (local.get $count) (i32.const 1))))
    (local.set $most (i16x8.splat (local.get $last)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $numbers) (local.get $end)))
        (local.set $bits (i16x8.bitmask (i16x8.le_u (v128.load (local.get $numbers)) (local.get $most))))
        (block $none
          (loop $one
            (br_if $none (i32.eqz (local.get $bits)))
            (i32.store (local.get $out) (i32.add (local.get $first) (i32.ctz (local.get $bits))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br $one)))
        (local.set $first (i32.add (local.get $first) (i32.const 8)))
        (local.set $numbers (i32.add (local.get $numbers) (i32.const 16)))
        (br $next)))
    (local.get $out))

  ;; Adds the entries of a list to the sums of a block, as far as their rows come before $until; 1 when all that $reader has
  ;; were added. A reader has the addresses of its next byte and of its end, the last row, and the address of the last weight
  ;; (u32 each). An entry is the distance to the row before, seven bits a byte, the lowest first; its own lowest bit is 1 when it
  ;; has a weight, which lies before the last one, and is 2 otherwise. BM25: a row gets $base and $scale × times / (times +
  ;; $least + $slope × its length), where weights are halves of times; its coverage $share. $scores, $coverage (f32) and
  ;; $lengths (u16) have the rows by $mask, $members a bit for each row that has sums. At $wanted lie the rows that may have
  ;; any, ascending, and a number above all rows behind them; it is 0 when all may.
  (func (export "addEntries") (param $reader i32) (param $until i32) (param $base f64) (param $scale f64) (param $least f64) (param $slope f64) (param $share f64) (param $lengths i32) (param $scores i32) (param $coverage i32) (param $mask i32) (param $members i32) (param $wanted i32) (result i32)
    (local $at i32) (local $end i32) (local $row i32) (local $next i32) (local $value i32) (local $byte i32) (local $shift i32)
    (local $to i32) (local $weight i32) (local $group i32) (local $bit i32) (local $place i32) (local $times f64) (local $isRead i32)
    (local $weights i32) (local $only i32) (local $sought i32) (local $some v128) (local $first v128) (local $second v128)
    (local $low v128) (local $high v128) (local $both v128)
    (local.set $at (i32.load (local.get $reader)))
    (local.set $end (i32.load offset=4 (local.get $reader)))
    (local.set $row (i32.load offset=8 (local.get $reader)))
    (local.set $weights (i32.load offset=12 (local.get $reader)))
    (if (local.get $wanted) (then (local.set $only (i32.load (local.get $wanted)))))
    (local.set $isRead (i32.const 1))
    (block $done
      (loop $entry
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (if (local.get $wanted)
          (then
            (if (i32.ge_u (local.get $only) (local.get $until))
              (then
                (local.set $isRead (i32.const 0))
                (br $done)))
            ;; Once for each of these rows; then one by one, up to it.
            (if (i32.ne (local.get $only) (local.get $sought))
              (then
                (local.set $sought (local.get $only))
                ;; Sixteen bytes at a time, until a row among them is wanted; its entry is read below.
                (block $near
                  (loop $skip
                    (br_if $near (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
                    (local.set $some (v128.load (local.get $at)))
                    (local.set $to (i8x16.bitmask (local.get $some)))
                    ;; Entries of three bytes are rare and left to what follows.
                    (br_if $near (i32.and (local.get $to) (i32.shl (local.get $to) (i32.const 1))))
                    (local.set $next (i32.add (local.get $at) (i32.const 16)))
                    (if (i32.ge_u (local.get $to) (i32.const 0x8000))
                      (then
                        ;; The last entry goes on behind these bytes.
                        (local.set $next (i32.add (local.get $at) (i32.const 15)))
                        (local.set $some (i8x16.replace_lane 15 (local.get $some) (i32.const 0)))))
                    ;; Bytes whose entry began with the one before.
                    (local.set $second
                      (i8x16.lt_s
                        (i8x16.shuffle 16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 (local.get $some) (v128.const i64x2 0 0))
                        (v128.const i64x2 0 0)))
                    (local.set $first (v128.andnot (local.get $some) (local.get $second)))
                    (local.set $weight (i32.popcnt (i8x16.bitmask (i8x16.shl (local.get $first) (i32.const 7)))))
                    (local.set $value
                      (call $sumOf
                        (i16x8.add
                          (i16x8.extadd_pairwise_i8x16_u
                            (v128.and
                              (local.get $first)
                              (v128.const i32x4 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f)))
                          (i16x8.shl
                            (i16x8.extadd_pairwise_i8x16_u (v128.and (local.get $some) (local.get $second)))
                            (i32.const 7)))))
                    (local.set $to
                      (i32.add
                        (local.get $row)
                        (i32.shr_u (i32.sub (local.get $value) (local.get $weight)) (i32.const 1))))
                    (if (i32.ge_u (local.get $to) (local.get $only))
                      (then
                        ;; What each byte adds to the row, with all before it.
                        (local.set $both
                          (v128.and
                            (local.get $first)
                            (v128.const i32x4 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f)))
                        (local.set $low
                          (call $running
                            (i16x8.add
                              (i16x8.shr_u
                                (i16x8.extend_low_i8x16_u (local.get $both))
                                (i32.const 1))
                              (i16x8.shl
                                (i16x8.extend_low_i8x16_u (v128.and (local.get $some) (local.get $second)))
                                (i32.const 6)))))
                        (local.set $high
                          (i16x8.add
                            (i16x8.splat (i16x8.extract_lane_u 7 (local.get $low)))
                            (call $running
                              (i16x8.add
                                (i16x8.shr_u
                                  (i16x8.extend_high_i8x16_u (local.get $both))
                                  (i32.const 1))
                                (i16x8.shl
                                  (i16x8.extend_high_i8x16_u (v128.and (local.get $some) (local.get $second)))
                                  (i32.const 6))))))
                        (loop $row
                          (local.set $both (i16x8.splat (i32.sub (local.get $only) (local.get $row))))
                          ;; Of the bytes that end an entry.
                          (local.set $bit
                            (i32.and
                              (i8x16.bitmask
                                (i8x16.narrow_i16x8_s
                                  (i16x8.eq (local.get $low) (local.get $both))
                                  (i16x8.eq (local.get $high) (local.get $both))))
                              (i32.xor (i8x16.bitmask (local.get $some)) (i32.const 0xffff))))
                          (if (local.get $bit)
                            (then
                              ;; The entry before it is the last that need not be read.
                              (local.set $place (i32.ctz (local.get $bit)))
                              (local.set $place
                                (i32.sub
                                  (local.get $place)
                                  (i32.and
                                    (i32.shr_u (i8x16.bitmask (local.get $second)) (local.get $place))
                                    (i32.const 1))))
                              (local.set $weights
                                (i32.sub
                                  (local.get $weights)
                                  (i32.popcnt
                                    (i32.and
                                      (i8x16.bitmask (i8x16.shl (local.get $first) (i32.const 7)))
                                      (i32.sub (i32.shl (i32.const 1) (local.get $place)) (i32.const 1))))))
                              (local.set $at (i32.add (local.get $at) (local.get $place)))
                              (local.set $value (i32.load8_u (local.get $at)))
                              (local.set $row
                                (i32.sub
                                  (local.get $only)
                                  (if (result i32) (i32.ge_u (local.get $value) (i32.const 128))
                                    (then
                                      (i32.or
                                        (i32.shr_u (i32.and (local.get $value) (i32.const 127)) (i32.const 1))
                                        (i32.shl (i32.load8_u offset=1 (local.get $at)) (i32.const 6))))
                                    (else (i32.shr_u (local.get $value) (i32.const 1))))))
                              (br $near)))
                          (local.set $wanted (i32.add (local.get $wanted) (i32.const 4)))
                          (local.set $only (i32.load (local.get $wanted)))
                          (if (i32.ge_u (local.get $only) (local.get $until))
                            (then
                              (local.set $isRead (i32.const 0))
                              (br $done)))
                          (br_if $row (i32.ge_u (local.get $to) (local.get $only))))))
                    (local.set $row (local.get $to))
                    (local.set $weights (i32.sub (local.get $weights) (local.get $weight)))
                    (local.set $at (local.get $next))
                    (br $skip)))
                (br_if $done (i32.ge_u (local.get $at) (local.get $end)))))))
        (local.set $value (i32.load8_u (local.get $at)))
        (local.set $next (i32.add (local.get $at) (i32.const 1)))
        (if (i32.ge_u (local.get $value) (i32.const 128))
          (then
            (local.set $value (i32.and (local.get $value) (i32.const 127)))
            (local.set $shift (i32.const 7))
            (loop $more
              (local.set $byte (i32.load8_u (local.get $next)))
              (local.set $next (i32.add (local.get $next) (i32.const 1)))
              (local.set $value
                (i32.or
                  (local.get $value)
                  (i32.shl (i32.and (local.get $byte) (i32.const 127)) (local.get $shift))))
              (local.set $shift (i32.add (local.get $shift) (i32.const 7)))
              (br_if $more (i32.ge_u (local.get $byte) (i32.const 128))))))
        (local.set $to (i32.add (local.get $row) (i32.shr_u (local.get $value) (i32.const 1))))
        (if (i32.ge_u (local.get $to) (local.get $until))
          (then
            (local.set $isRead (i32.const 0))
            (br $done)))
        (local.set $row (local.get $to))
        (local.set $at (local.get $next))
        (local.set $value (i32.and (local.get $value) (i32.const 1)))
        (local.set $weights (i32.sub (local.get $weights) (local.get $value)))
        (if (local.get $wanted)
          (then
            (block $reached
              (loop $ahead
                (br_if $reached (i32.ge_u (local.get $only) (local.get $row)))
                (local.set $wanted (i32.add (local.get $wanted) (i32.const 4)))
                (local.set $only (i32.load (local.get $wanted)))
                (br $ahead)))
            (br_if $entry (i32.ne (local.get $only) (local.get $row)))))
        (local.set $weight (select (i32.load8_u (local.get $weights)) (i32.const 2) (local.get $value)))
        (local.set $group (i32.shl (i32.shr_u (local.get $row) (i32.const 5)) (i32.const 2)))
        ;; Shifts count by 32.
        (local.set $bit (i32.shl (i32.const 1) (local.get $row)))
        (local.set $group (i32.add (local.get $members) (local.get $group)))
        (i32.store (local.get $group) (i32.or (i32.load (local.get $group)) (local.get $bit)))
        (local.set $times (f64.mul (f64.convert_i32_u (local.get $weight)) (f64.const 0.5)))
        (local.set $place (i32.and (local.get $row) (local.get $mask)))
        (local.set $times
          (f64.div
            (f64.mul (local.get $scale) (local.get $times))
            (f64.add
              (f64.add (local.get $times) (local.get $least))
              (f64.mul
                (local.get $slope)
                (f64.convert_i32_u
                  (i32.load16_u (i32.add (local.get $lengths) (i32.shl (local.get $place) (i32.const 1)))))))))
        (local.set $place (i32.shl (local.get $place) (i32.const 2)))
        (local.set $group (i32.add (local.get $scores) (local.get $place)))
        (f32.store
          (local.get $group)
          (f32.demote_f64
            (f64.add
              (f64.add (f64.promote_f32 (f32.load (local.get $group))) (local.get $base))
              (local.get $times))))
        (local.set $group (i32.add (local.get $coverage) (local.get $place)))
        (f32.store
          (local.get $group)
          (f32.demote_f64 (f64.add (f64.promote_f32 (f32.load (local.get $group))) (local.get $share))))
        (br $entry)))
    (i32.store (local.get $reader) (local.get $at))
    (i32.store offset=8 (local.get $reader) (local.get $row))
    (i32.store offset=12 (local.get $reader) (local.get $weights))
    (local.get $isRead))

  ;; Eight u16, each with all before it.
  (func $running (param $some v128) (result v128)
    (local.set $some
      (i16x8.add
        (local.get $some)
        (i8x16.shuffle 16 17 0 1 2 3 4 5 6 7 8 9 10 11 12 13 (local.get $some) (v128.const i64x2 0 0))))
    (local.set $some
      (i16x8.add
        (local.get $some)
        (i8x16.shuffle 16 17 18 19 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $some) (v128.const i64x2 0 0))))
    (i16x8.add
      (local.get $some)
      (i8x16.shuffle 16 17 18 19 20 21 22 23 0 1 2 3 4 5 6 7 (local.get $some) (v128.const i64x2 0 0))))

  ;; The sum of eight u16.
  (func $sumOf (param $some v128) (result i32)
    (local.set $some (i32x4.extadd_pairwise_i16x8_u (local.get $some)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $some)) (i32x4.extract_lane 1 (local.get $some)))
      (i32.add (i32x4.extract_lane 2 (local.get $some)) (i32x4.extract_lane 3 (local.get $some)))))

  ;; Moves the sums of a block, rows $first up to $until, both multiples of 32, to the end of all: the places after $count of
  ;; $allRows (u32), $allScores and $allCoverage (f32). Leaves zeros, writes to $before how many rows come before each 32 of
  ;; $members, and to $best (f32) the largest score. Gives the new count.
  (func (export "gather") (param $first i32) (param $until i32) (param $scores i32) (param $coverage i32) (param $mask i32) (param $members i32) (param $before i32) (param $allRows i32) (param $allScores i32) (param $allCoverage i32) (param $count i32) (param $best i32) (result i32)
    (local $bits i32) (local $row i32) (local $place i32) (local $to i32) (local $score f32) (local $largest f32)
    (block $done
      (loop $group
        (br_if $done (i32.ge_u (local.get $first) (local.get $until)))
        (local.set $place (i32.shl (i32.shr_u (local.get $first) (i32.const 5)) (i32.const 2)))
        (i32.store (i32.add (local.get $before) (local.get $place)) (local.get $count))
        (local.set $bits (i32.load (i32.add (local.get $members) (local.get $place))))
        (block $none
          (loop $one
            (br_if $none (i32.eqz (local.get $bits)))
            (local.set $row (i32.or (local.get $first) (i32.ctz (local.get $bits))))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (local.set $place (i32.shl (i32.and (local.get $row) (local.get $mask)) (i32.const 2)))
            (local.set $to (i32.shl (local.get $count) (i32.const 2)))
            (local.set $score (f32.load (i32.add (local.get $scores) (local.get $place))))
            (local.set $largest (f32.max (local.get $largest) (local.get $score)))
            (i32.store (i32.add (local.get $allRows) (local.get $to)) (local.get $row))
            (f32.store (i32.add (local.get $allScores) (local.get $to)) (local.get $score))
            (f32.store
              (i32.add (local.get $allCoverage) (local.get $to))
              (f32.load (i32.add (local.get $coverage) (local.get $place))))
            (f32.store (i32.add (local.get $scores) (local.get $place)) (f32.const 0))
            (f32.store (i32.add (local.get $coverage) (local.get $place)) (f32.const 0))
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (br $one)))
        (local.set $first (i32.add (local.get $first) (i32.const 32)))
        (br $group)))
    (f32.store (local.get $best) (local.get $largest))
    (local.get $count))

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
