(module ;; pointer plus length wraps round
  (import "mcpctl:core/v1" "out_write" (func $w (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (call $w (i32.const 16) (i32.const 0xfffffff8))))
