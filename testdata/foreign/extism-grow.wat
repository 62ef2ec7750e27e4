;; Takes memory of its own until there is none, touching each page.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func (export "transform") (result i32) (local $page i32)
    (drop (call $input_length))
    (loop $more
      (local.set $page (memory.grow (i32.const 16)))
      (if (i32.eq (local.get $page) (i32.const -1)) (then unreachable))
      (i32.store (i32.shl (local.get $page) (i32.const 16)) (i32.const 1))
      (br $more))
    (i32.const 0)))
