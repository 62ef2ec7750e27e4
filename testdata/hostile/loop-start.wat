(module ;; never gets past its start function
  (memory (export "memory") 1)
  (func $s (loop (br 0)))
  (start $s)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (i32.const 1)))
