(module ;; writes to stdout for ever
  (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\10\00\00\00\08\00\00\00")
  (data (i32.const 16) "a line\0a\0a")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32)
    (loop (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64))) (br 0)) unreachable))
