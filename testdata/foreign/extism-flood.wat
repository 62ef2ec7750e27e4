;; An output of 8 MiB for any input.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32)
    (call $output_set (call $alloc (i64.const 8388608)) (i64.const 8388608))
    (i32.const 0)))
