;; CRC-32C over a range of memory, 16 bytes a step by 16 tables ("slicing": Kounavis and Berry, ISCC 2005). Of a longer range, 304 bytes
;; that have the same checksum are made first, in a fifth of the time and without tables ("Chorba": Russell, arXiv 2412.16398).
;;
;; The range is a polynomial, its first bit the highest coefficient, and the checksum its remainder by P. So what remains by a multiple
;; of P has the same, and by one of few terms it takes few exclusive ors. P divides x^290 + x^136 + x^113 + x^107 + x^32 + 1, therefore
;; also its eighth power, which is the same with whole bytes for bits. In this division, each byte of the quotient is that of the range,
;; exclusive or those of the quotient 154, 177, 183, 258 and 290 bytes before; where the quotient ends, it is that of the remainder.
;;
;; Table k stands 1024 k behind the first: for each byte its remainder when k more bytes follow it. Behind the last is room for 304 bytes
;; and as many as the range has. Only these and the range are read, only the room is written.
;; Compile with wasm/compile.ts.
(module
  (import "host" "memory" (memory 1))

  ;; The remainder of [at, end) after $crc. Both complements are the caller's. `end` is at least 16. `tables`: where the first is.
  (func (export "crc32c")
    (param $crc i32) (param $at i32) (param $end i32) (param $tables i32)
    (result i32)
    (local $room i32)
    (local $rest i32) ;; where the last 304 bytes begin
    (local $window i32) ;; 304 bytes before what belongs to them
    (local $last i32) ;; the last place where a step may begin
    (local $first i32)
    (local $second i32)
    (local $third i32)
    (local $fourth i32)
    ;; Of fewer bytes it is no faster.
    (if (i32.ge_u (i32.sub (local.get $end) (local.get $at)) (i32.const 512))
      (then
        (local.set $room (i32.add (local.get $tables) (i32.const 16384)))
        (memory.fill (local.get $room) (i32.const 0) (i32.const 304))
        ;; 290 before the first four bytes, and so far only these look back.
        (i32.store offset=14 align=1 (local.get $room) (local.get $crc))
        (local.set $rest (i32.sub (local.get $end) (i32.const 304)))
        (local.set $window (i32.add (local.get $room) (i32.sub (local.get $rest) (local.get $at))))
        (call $divide
          (local.get $at) (local.get $rest) (local.get $room) (i32.add (local.get $room) (i32.const 304)))
        ;; The last step may have gone beyond the end of the quotient.
        (memory.fill (i32.add (local.get $window) (i32.const 304)) (i32.const 0) (i32.const 304))
        ;; To where the room begins: each byte has been read when it is overwritten.
        (call $divide (local.get $rest) (local.get $end) (local.get $window) (local.get $room))
        (local.set $crc (i32.const 0))
        (local.set $at (local.get $room))
        (local.set $end (i32.add (local.get $room) (i32.const 304)))))
    (local.set $last (i32.sub (local.get $end) (i32.const 16)))
    (block $short
      (loop $step
        (br_if $short (i32.gt_u (local.get $at) (local.get $last)))
        (local.set $first (i32.xor (local.get $crc) (i32.load (local.get $at))))
        (local.set $second (i32.load offset=4 (local.get $at)))
        (local.set $third (i32.load offset=8 (local.get $at)))
        (local.set $fourth (i32.load offset=12 (local.get $at)))
        (local.set $crc
          (i32.xor
            (i32.xor
              (i32.xor
                (i32.xor
                  (i32.load offset=15360 (i32.add (local.get $tables) (i32.and (i32.shl (local.get $first) (i32.const 2)) (i32.const 1020))))
                  (i32.load offset=14336 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $first) (i32.const 6)) (i32.const 1020)))))
                (i32.xor
                  (i32.load offset=13312 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $first) (i32.const 14)) (i32.const 1020))))
                  (i32.load offset=12288 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $first) (i32.const 22)) (i32.const 1020))))))
              (i32.xor
                (i32.xor
                  (i32.load offset=11264 (i32.add (local.get $tables) (i32.and (i32.shl (local.get $second) (i32.const 2)) (i32.const 1020))))
                  (i32.load offset=10240 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $second) (i32.const 6)) (i32.const 1020)))))
                (i32.xor
                  (i32.load offset=9216 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $second) (i32.const 14)) (i32.const 1020))))
                  (i32.load offset=8192 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $second) (i32.const 22)) (i32.const 1020)))))))
            (i32.xor
              (i32.xor
                (i32.xor
                  (i32.load offset=7168 (i32.add (local.get $tables) (i32.and (i32.shl (local.get $third) (i32.const 2)) (i32.const 1020))))
                  (i32.load offset=6144 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $third) (i32.const 6)) (i32.const 1020)))))
                (i32.xor
                  (i32.load offset=5120 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $third) (i32.const 14)) (i32.const 1020))))
                  (i32.load offset=4096 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $third) (i32.const 22)) (i32.const 1020))))))
              (i32.xor
                (i32.xor
                  (i32.load offset=3072 (i32.add (local.get $tables) (i32.and (i32.shl (local.get $fourth) (i32.const 2)) (i32.const 1020))))
                  (i32.load offset=2048 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $fourth) (i32.const 6)) (i32.const 1020)))))
                (i32.xor
                  (i32.load offset=1024 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $fourth) (i32.const 14)) (i32.const 1020))))
                  (i32.load offset=0 (i32.add (local.get $tables) (i32.and (i32.shr_u (local.get $fourth) (i32.const 22)) (i32.const 1020)))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $step)))
    (block $done
      (loop $byte
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $crc
          (i32.xor
            (i32.shr_u (local.get $crc) (i32.const 8))
            (i32.load
              (i32.add
                (local.get $tables)
                (i32.shl
                  (i32.and (i32.xor (local.get $crc) (i32.load8_u (local.get $at))) (i32.const 255))
                  (i32.const 2))))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $byte)))
    (local.get $crc))

  ;; Writes to `to`, for [at, end), each byte with those of the quotient before it; the first of `window` is 304 before it. At least 16
  ;; bytes, 16 a step, of which none needs another; up to 15 more than [at, end) in the last.
  (func $divide (param $at i32) (param $end i32) (param $window i32) (param $to i32)
    (loop $step
      (v128.store align=1
        (local.get $to)
        (v128.xor
          (v128.xor
            (v128.xor
              (v128.load align=1 (local.get $at))
              (v128.load offset=14 align=1 (local.get $window)))
            (v128.xor
              (v128.load offset=46 align=1 (local.get $window))
              (v128.load offset=121 align=1 (local.get $window))))
          (v128.xor
            (v128.load offset=127 align=1 (local.get $window))
            (v128.load offset=150 align=1 (local.get $window)))))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (local.set $window (i32.add (local.get $window) (i32.const 16)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $step (i32.lt_u (local.get $at) (local.get $end))))))
