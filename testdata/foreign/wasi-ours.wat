;; Imports a function of our ABI, but has no marker.
(module
  (import "mcpctl:core/v1" "buf_len" (func (param i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")))
