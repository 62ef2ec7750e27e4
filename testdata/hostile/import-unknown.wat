(module ;; imports a function that no ABI of ours has
  (import "mcpctl:core/v1" "exec" (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (i32.const 1)))
