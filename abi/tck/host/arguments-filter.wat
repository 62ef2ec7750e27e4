;; A filter has no arguments.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"filter"},{"name":"other","kind":"stage","capabilities":["cache","llm"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_len 8 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_len 8 = 0
    i32.const 8
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
