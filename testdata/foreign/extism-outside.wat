;; Names an output that lies outside of all memory.
(module
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32)
    (call $output_set (i64.const 4294967040) (i64.const 4096))
    (i32.const 0)))
