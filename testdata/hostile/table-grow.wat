(module ;; grows a table without a maximum until it is refused
  (memory (export "memory") 1)
  (table $t 1 funcref)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32)
    (loop (br_if 0 (i32.ne (table.grow $t (ref.null func) (i32.const 10000)) (i32.const -1))))
    (i32.gt_u (table.size $t) (i32.const 100000)) (if (then unreachable))
    (i32.const 1)))
