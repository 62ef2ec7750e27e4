(module ;; a table of 2^27 entries
  (memory (export "memory") 1)
  (table 134217728 funcref)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (i32.const 1)))
