(module ;; logs all of its address space
  (import "mcpctl:core/v1" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (call $log (i32.const 1) (i32.const 0) (i32.const -1))))
