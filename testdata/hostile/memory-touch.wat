(module ;; grows by a page, touches it, and goes on for ever
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $p i32)
    (loop
      (local.set $p (memory.grow (i32.const 1)))
      (if (i32.ne (local.get $p) (i32.const -1))
        (then (i32.store (i32.mul (local.get $p) (i32.const 65536)) (i32.const 7))))
      (br 0))
    unreachable))
