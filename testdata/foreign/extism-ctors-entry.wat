;; Has constructors that want a parameter.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func (export "__wasm_call_ctors") (param i32))
  (func (export "transform") (result i32) (i32.const 0)))
