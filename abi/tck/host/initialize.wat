;; Before the first call nothing works but log.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "out_write" (func $out_write (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "herecall 1: want buf_len 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "_initialize")
    ;; log 1 "here" = 0
    i32.const 1
    i32.const 131072
    i32.const 4
    call $log
    i32.const 0
    i32.ne
    if
    unreachable
    end
    ;; out_write 0 0 = -8
    i32.const 0
    i32.const 0
    call $out_write
    i32.const -8
    i32.ne
    if
    unreachable
    end
    ;; out_span 0 0 0 = -8
    i32.const 0
    i32.const 0
    i32.const 0
    call $out_span
    i32.const -8
    i32.ne
    if
    unreachable
    end
    ;; buf_len 0 = -8
    i32.const 0
    call $buf_len
    i32.const -8
    i32.ne
    if
    unreachable
    end
  )
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_len 0 = 0
    i32.const 0
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131076
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
