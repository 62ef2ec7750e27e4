;; Never ends.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32)
    (drop (call $input_length))
    (loop $for_ever (br $for_ever))
    (i32.const 0)))
