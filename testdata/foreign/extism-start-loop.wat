;; Never starts: its start function loops.
(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (memory (export "memory") 1)
  (func $start (loop $more (br $more)))
  (start $start)
  (func (export "transform") (result i32) (i32.const 0)))
