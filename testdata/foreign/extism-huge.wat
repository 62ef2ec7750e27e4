;; Asks the kernel for more memory than there can be, and for blocks that are none.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "extism:host/env" "load_u8" (func $load_u8 (param i64) (result i32)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32)
    (drop (call $length (i64.const 0x7fffffffffffffff)))
    (drop (call $length (i64.const 65)))
    (drop (call $alloc (i64.const 0x7fffffff00000000)))
    (call $output_set (call $input_offset) (i64.const 1))
    (i32.const 0)))
