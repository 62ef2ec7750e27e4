(module ;; wants sockets
  (import "wasi:sockets/tcp" "connect" (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (i32.const 1)))
