(module ;; makes handles until it is refused, then frees and makes more
  (import "mcpctl:core/v1" "buf_view" (func $view (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_free" (func $free (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $h i32)
    (loop (br_if 0 (i32.gt_s (call $view (i32.const 0) (i32.const 0) (i32.const 1)) (i32.const 0))))
    (loop
      (local.set $h (i32.add (local.get $h) (i32.const 1)))
      (drop (call $free (i32.add (local.get $h) (i32.const 15))))
      (br_if 0 (i32.gt_s (call $view (i32.const 0) (i32.const 0) (i32.const 1)) (i32.const 0))))
    (i32.const 1)))
