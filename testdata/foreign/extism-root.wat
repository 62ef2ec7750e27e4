;; Writes over the root of Extism's kernel before its entry is called: how much of its
;; memory is in use, which the kernel clears for each call.
(module
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "_initialize") (call $store_u64 (i64.const 9) (i64.const 0x7fffffff)))
  (func (export "transform") (result i32) (i32.const 0)))
