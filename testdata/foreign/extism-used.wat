;; Claims a text of 4 GiB and logs it.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (import "extism:host/env" "log_info" (func $log_info (param i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (local $p i64)
    (local.set $p (call $alloc (i64.const 16)))
    (call $store_u64 (i64.sub (local.get $p) (i64.const 8)) (i64.const 0xffffffff00000010))
    (call $log_info (local.get $p))
    (i32.const 0)))
