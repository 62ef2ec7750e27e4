(module ;; keeps values without a grant for a store
  (import "mcpctl:core/v1" "cache_set" (func $set (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $n i32)
    (loop
      (i32.store (i32.const 0) (local.get $n))
      (drop (call $set (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 1000)))
      (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 1000))))
    (i32.const 1)))
