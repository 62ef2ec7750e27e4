;; Imports a function of our ABI, but has no marker.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "mcpctl:core/v1" "buf_len" (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (drop (call $input_length)) (i32.const 0)))
