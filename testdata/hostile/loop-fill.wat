(module ;; fills its memory for ever
  (memory (export "memory") 16)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32)
    (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 1048576)) (br 0)) unreachable))
