;; Decodes one lz4 block. Format: github.com/lz4/lz4 lz4_Block_format.md.
;;
;; Copies proceed in steps of 8 or 16 bytes, so up to 30 bytes after `to` may be read and as many after `end` written: the caller
;; keeps 64 bytes free after both. What is written too far is not part of the result, or is overwritten.
;; Each round of $sequence reads at least one byte, so the time is in proportion to the bytes in and out. A block is no longer than 16 MiB, and
;; each of its bytes adds at most 255 to a length, so no length reaches 2^32 - 64. The memory may reach to 2^32 too, so a length is compared
;; with the room that is left: its sum with an address may not fit.
;; Compile with wasm/compile.ts.
(module
  (import "host" "memory" (memory 1))

  ;; Reads [from, to) and writes from `out` to `end` at most. Matches reach back to `begin`, which is at most `out`.
  ;; Returns the address after the last byte written, or what is wrong: -1 to -6, in the order of FAULTS in lz4.ts.
  (func (export "decode")
    (param $from i32) (param $to i32) (param $out i32) (param $begin i32) (param $end i32)
    (result i32)
    (local $token i32)
    (local $length i32)
    (local $more i32)
    (local $distance i32)
    (local $source i32)
    (local $stop i32) ;; where $out will be after a copy
    (block $tooLarge
    (block $tooFar
    (block $noDistance
    (block $noLiterals
    (block $noLength
    (block $noEnd
      (br_if $tooLarge (i32.gt_u (local.get $out) (local.get $end)))
      (loop $sequence
        (br_if $noEnd (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $token (i32.load8_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))

        ;; Literals
        (local.set $length (i32.shr_u (local.get $token) (i32.const 4)))
        (if (i32.lt_u (local.get $length) (i32.const 15))
          (then ;; whether they fit is checked below
            (i64.store (local.get $out) (i64.load (local.get $from)))
            (i64.store offset=8 (local.get $out) (i64.load offset=8 (local.get $from)))
            (local.set $from (i32.add (local.get $from) (local.get $length)))
            (local.set $out (i32.add (local.get $out) (local.get $length))))
          (else
            (loop $longer
              (br_if $noLength (i32.ge_u (local.get $from) (local.get $to)))
              (local.set $more (i32.load8_u (local.get $from)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (local.set $length (i32.add (local.get $length) (local.get $more)))
              (br_if $longer (i32.eq (local.get $more) (i32.const 255))))
            (br_if $noLiterals (i32.gt_u (local.get $length) (i32.sub (local.get $to) (local.get $from))))
            (br_if $tooLarge (i32.gt_u (local.get $length) (i32.sub (local.get $end) (local.get $out))))
            (local.set $source (local.get $from))
            (local.set $from (i32.add (local.get $from) (local.get $length)))
            (local.set $stop (i32.add (local.get $out) (local.get $length)))
            (loop $copy
              (i64.store (local.get $out) (i64.load (local.get $source)))
              (i64.store offset=8 (local.get $out) (i64.load offset=8 (local.get $source)))
              (local.set $source (i32.add (local.get $source) (i32.const 16)))
              (local.set $out (i32.add (local.get $out) (i32.const 16)))
              (br_if $copy (i32.lt_u (local.get $out) (local.get $stop))))
            (local.set $out (local.get $stop))))

        ;; The last sequence has only literals
        (if (i32.gt_u (i32.add (local.get $from) (i32.const 2)) (local.get $to))
          (then
            (br_if $noLiterals (i32.gt_u (local.get $from) (local.get $to)))
            (br_if $tooLarge (i32.gt_u (local.get $out) (local.get $end)))
            (br_if $noDistance (i32.lt_u (local.get $from) (local.get $to)))
            (return (local.get $out))))

        ;; Distance: 1 to all that has been written. 0 becomes the largest number by the subtraction
        (local.set $distance (i32.load16_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 2)))
        (br_if $tooFar
          (i32.ge_u
            (i32.sub (local.get $distance) (i32.const 1))
            (i32.sub (local.get $out) (local.get $begin))))
        (local.set $source (i32.sub (local.get $out) (local.get $distance)))

        ;; Match
        (local.set $length (i32.and (local.get $token) (i32.const 15)))
        (if (i32.lt_u (local.get $length) (i32.const 15))
          (then
            (local.set $stop (i32.add (i32.add (local.get $out) (local.get $length)) (i32.const 4)))
            (br_if $tooLarge (i32.gt_u (local.get $stop) (local.get $end)))
            (if (i32.ge_u (local.get $distance) (i32.const 8))
              (then ;; at most 18 bytes: most matches end here
                (i64.store (local.get $out) (i64.load (local.get $source)))
                (i64.store offset=8 (local.get $out) (i64.load offset=8 (local.get $source)))
                (i32.store16 offset=16 (local.get $out) (i32.load16_u offset=16 (local.get $source)))
                (local.set $out (local.get $stop))
                (br $sequence))))
          (else
            (loop $longer
              (br_if $noLength (i32.ge_u (local.get $from) (local.get $to)))
              (local.set $more (i32.load8_u (local.get $from)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (local.set $length (i32.add (local.get $length) (local.get $more)))
              (br_if $longer (i32.eq (local.get $more) (i32.const 255))))
            ;; Short literals may have gone too far already
            (br_if $tooLarge (i32.gt_u (local.get $out) (local.get $end)))
            (local.set $length (i32.add (local.get $length) (i32.const 4)))
            (br_if $tooLarge (i32.gt_u (local.get $length) (i32.sub (local.get $end) (local.get $out))))
            (local.set $stop (i32.add (local.get $out) (local.get $length)))))

        ;; A distance below 8 repeats a pattern: each copy of 8 bytes makes as many correct as the distance, and doubles it
        (loop $widen
          (if (i32.lt_u (local.get $distance) (i32.const 8))
            (then
              (i64.store (local.get $out) (i64.load (local.get $source)))
              (local.set $out (i32.add (local.get $out) (local.get $distance)))
              (local.set $distance (i32.shl (local.get $distance) (i32.const 1)))
              (br $widen))))
        (loop $copy
          (i64.store (local.get $out) (i64.load (local.get $source)))
          (i64.store offset=8 (local.get $out) (i64.load offset=8 (local.get $source)))
          (local.set $source (i32.add (local.get $source) (i32.const 16)))
          (local.set $out (i32.add (local.get $out) (i32.const 16)))
          (br_if $copy (i32.lt_u (local.get $out) (local.get $stop))))
        (local.set $out (local.get $stop))
        (br $sequence)))
    (return (i32.const -1))) ;; $noEnd
    (return (i32.const -2))) ;; $noLength
    (return (i32.const -3))) ;; $noLiterals
    (return (i32.const -4))) ;; $noDistance
    (return (i32.const -5))) ;; $tooFar
    (i32.const -6))) ;; $tooLarge
