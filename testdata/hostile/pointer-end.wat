(module ;; nothing at the very end of memory is allowed, one byte there is not
  (import "mcpctl:core/v1" "out_write" (func $w (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32)
    (drop (call $w (i32.const 65536) (i32.const 0)))
    (call $w (i32.const 65536) (i32.const 1))))
