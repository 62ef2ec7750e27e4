;; Asks the host for something in its start function, before there is a call.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func $start (drop (call $input_length)))
  (start $start)
  (func (export "transform") (result i32) (i32.const 0)))
