(module ;; output that is no text
  (import "mcpctl:core/v1" "out_write" (func $w (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "ok \c3\28")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (call $w (i32.const 0) (i32.const 5))))
