;; Writes where no memory is.
(module
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32)
    (call $store_u8 (i64.const 0xfffffff0) (i32.const 1))
    (i32.const 0)))
