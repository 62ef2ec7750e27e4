(module ;; a stage that wants the session
  (import "mcpctl:session/v1" "tools" (func (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (i32.const 1)))
