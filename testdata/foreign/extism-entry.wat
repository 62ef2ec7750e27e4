;; Its entry has a parameter.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func (export "transform") (param i32) (result i32) (drop (call $input_length)) (i32.const 0)))
