;; Takes memory of the kernel until there is none, and says that all went well.
(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (local $i i32)
    (loop $more
      (drop (call $alloc (i64.const 1048576)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 200))))
    (call $output_set (call $input_offset) (i64.const 1))
    (i32.const 0)))
