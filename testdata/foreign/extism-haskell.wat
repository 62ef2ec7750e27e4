;; Has a runtime as Haskell's programs have.
(module
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (memory (export "memory") 1)
  (global $ready (mut i32) (i32.const 0))
  (func (export "hs_init") (param i32 i32) (global.set $ready (i32.const 1)))
  (func (export "hs_exit"))
  (func (export "transform") (result i32) (local $p i64)
    (local.set $p (call $alloc (i64.const 1)))
    (call $store_u8 (local.get $p) (i32.add (i32.const 0x30) (global.get $ready)))
    (call $output_set (local.get $p) (i64.const 1))
    (i32.const 0)))
