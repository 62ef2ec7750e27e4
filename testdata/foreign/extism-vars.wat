;; Keeps as many variables as it can: each has a name of four bytes that no other has.
(module
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (local $name i64) (local $value i64) (local $i i64)
    (loop $more
      (local.set $name (call $alloc (i64.const 8)))
      (local.set $value (call $alloc (i64.const 512)))
      (call $store_u64 (local.get $name) (local.get $i))
      (call $var_set (local.get $name) (local.get $value))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br $more))
    (i32.const 0)))
