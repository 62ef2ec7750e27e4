;; Gives output, and then another number than 0.
(module
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32)
    (call $output_set (call $input_offset) (i64.const 4))
    (i32.const -1)))
