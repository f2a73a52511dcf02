;; CRC-32C over a range of memory, 16 bytes a step by 16 tables ("slicing": Kounavis and Berry, ISCC 2005).
;;
;; Table k stands 1024 k behind the first: for each byte its remainder when k more bytes follow it. Only tables and the range are read.
;; Compile with wasm/compile.ts.
(module
  (import "host" "memory" (memory 1))

  ;; The remainder of [at, end) after $crc. Both complements are the caller's. `end` is at least 16. `tables`: where the first is.
  (func (export "crc32c")
    (param $crc i32) (param $at i32) (param $end i32) (param $tables i32)
    (result i32)
    (local $last i32) ;; the last place where a step may begin
    (local $first i32)
    (local $second i32)
    (local $third i32)
    (local $fourth i32)
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
    (local.get $crc)))
