(module ;; grows by 1 MiB, wants it clean, and leaves it dirty
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $p i32)
    (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
    (loop
      (if (i32.load (local.get $p)) (then unreachable))
      (local.set $p (i32.add (local.get $p) (i32.const 4)))
      (br_if 0 (i32.lt_u (local.get $p) (i32.const 1114112))))
    (memory.fill (i32.const 0) (i32.const 0xa5) (i32.const 1114112))
    (i32.const 1)))
