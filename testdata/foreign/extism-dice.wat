;; Writes random numbers and the time, which are the same in every call.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (local $to i64) (local $i i32)
    (drop (call $random_get (i32.const 0) (i32.const 8)))
    (drop (call $clock_time_get (i32.const 0) (i64.const 1) (i32.const 8)))
    (local.set $to (call $alloc (i64.const 16)))
    (loop $more
      (call $store_u8 (i64.add (local.get $to) (i64.extend_i32_u (local.get $i))) (i32.add (i32.const 97) (i32.rem_u (i32.load8_u (local.get $i)) (i32.const 26))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 16))))
    (call $output_set (local.get $to) (i64.const 16))
    (i32.const 0)))
