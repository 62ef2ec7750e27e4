;; Two functions that could play a role: the name of the role decides, `-` as `_`.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func $status (param $n i32) (result i32) (drop (call $input_length)) (local.get $n))
  (func (export "first_role") (result i32) (call $status (i32.const 1)))
  (func (export "second") (result i32) (call $status (i32.const 2))))
