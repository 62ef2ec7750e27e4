;; Claims more records of Sections than memory can hold: 20 bytes for each of 214,748,364.
(module
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32)
    (drop (call $sections_add (i32.const 1) (i32.const 0) (i32.const -16) (i32.const 0) (i32.const 0)))
    (i32.const 1)))
