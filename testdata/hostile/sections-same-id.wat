(module ;; a thousand sections of one name: the host tells them apart
  (import "mcpctl:core/v1" "section_add" (func $add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "same")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $n i32)
    (loop
      (drop (call $add (i32.const -1) (i32.const -1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4)))
      (br_if 0 (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 1000))))
    (i32.const 1)))
