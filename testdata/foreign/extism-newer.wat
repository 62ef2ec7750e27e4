;; Imports a function that this host does not have.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "inputs_length" (func (result i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (drop (call $input_length)) (i32.const 0)))
