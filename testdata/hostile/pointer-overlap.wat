;; Takes its records for their own texts: they say 4 bytes of them, which are the parent.
(module
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 1) "\ff\ff\ff\ff\00\00\00\00\04\00\00\00\00\00\00\00\04\00\00\00")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32)
    ;; 1 is BAD_ARG, as it has to be: four bytes ff are no title
    (i32.eq (call $sections_add (i32.const 1) (i32.const 1) (i32.const 20) (i32.const 1) (i32.const 4)) (i32.const -2))))
