;; Frees its input, and what is none, many times.
(module
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (import "extism:host/env" "free" (func $free (param i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (local $i i64)
    (loop $more
      (call $free (call $input_offset))
      (call $free (local.get $i))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br_if $more (i64.lt_u (local.get $i) (i64.const 500))))
    (call $output_set (call $input_offset) (i64.const 1))
    (i32.const 0)))
