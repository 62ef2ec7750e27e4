(module ;; calls the host for ever
  (import "mcpctl:core/v1" "buf_len" (func $len (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (loop (drop (call $len (i32.const 0))) (br 0)) unreachable))
