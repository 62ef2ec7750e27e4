;; a handle that does not exist is BAD_ARG.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_read" (func $buf_read (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_len 16 = -2call 2: want buf_len -1 = -2call 3: want buf_read 99 0 0 1 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_len 16 = -2
    i32.const 16
    call $buf_len
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len -1 = -2
    i32.const -1
    call $buf_len
    i32.const -2
    i32.ne
    if
    i32.const 131100
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 99 0 0 1 = -2
    i32.const 99
    i32.const 0
    i32.const 0
    i32.const 1
    call $buf_read
    i32.const -2
    i32.ne
    if
    i32.const 131128
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
