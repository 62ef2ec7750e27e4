;; Its _start has a result.
(module
  (memory (export "memory") 1)
  (func (export "_start") (result i32) (i32.const 0)))
