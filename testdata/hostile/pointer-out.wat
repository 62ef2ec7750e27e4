(module ;; wants the input beyond its memory
  (import "mcpctl:core/v1" "buf_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (call $read (i32.const 0) (i32.const 0) (i32.const 65536) (i32.const 1))))
