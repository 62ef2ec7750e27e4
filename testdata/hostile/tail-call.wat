(module ;; an instruction of a feature that is off
  (memory (export "memory") 1)
  (func $f (result i32) (i32.const 1))
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (return_call $f)))
