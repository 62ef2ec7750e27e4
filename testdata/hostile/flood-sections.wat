;; Adds all the Sections that one call may have, and one that is refused, for ever.
(module
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 21)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $at i32)
    ;; 65,537 groups at the top: a parent of -1, and zeros
    (loop $more
      (i32.store (local.get $at) (i32.const -1))
      (local.set $at (i32.add (local.get $at) (i32.const 20)))
      (br_if $more (i32.lt_u (local.get $at) (i32.const 1310740))))
    (loop $again
      (drop (call $sections_add (i32.const -1) (i32.const 0) (i32.const 1310740) (i32.const 0) (i32.const 0)))
      (br $again))
    (i32.const 1)))
