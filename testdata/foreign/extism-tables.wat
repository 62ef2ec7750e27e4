;; Grows its table until it is told no, and says with its status whether that was soon.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (table $t 1 funcref)
  (func (export "transform") (result i32)
    (loop $more (br_if $more (i32.ne (table.grow $t (ref.null func) (i32.const 4096)) (i32.const -1))))
    (select (i32.const 7) (i32.const 8) (i32.le_u (table.size $t) (i32.const 100000)))))
