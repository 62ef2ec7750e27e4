(module ;; an entry with a parameter
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (param i32) (result i32) (i32.const 1)))
