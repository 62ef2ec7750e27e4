;; buf_read beyond the end is BAD_ARG.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_read" (func $buf_read (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_read 0 11 100 4 = -2call 2: want buf_read 0 -1 100 4 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_read 0 11 100 4 = -2
    i32.const 0
    i32.const 11
    i32.const 100
    i32.const 4
    call $buf_read
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 0 -1 100 4 = -2
    i32.const 0
    i32.const -1
    i32.const 100
    i32.const 4
    call $buf_read
    i32.const -2
    i32.ne
    if
    i32.const 131109
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
