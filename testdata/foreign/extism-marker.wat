;; Has the marker of our ABI, so it is native whatever it imports.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (drop (call $input_length)) (i32.const 1)))
