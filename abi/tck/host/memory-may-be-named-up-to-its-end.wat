;; Memory may be named up to its end.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_read" (func $buf_read (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_write" (func $out_write (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_read 0 0 196608 0 = 0call 2: want buf_read 0 0 196607 1 = 1call 3: want out_write 196608 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_read 0 0 196608 0 = 0
    i32.const 0
    i32.const 0
    i32.const 196608
    i32.const 0
    call $buf_read
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 0 0 196607 1 = 1
    i32.const 0
    i32.const 0
    i32.const 196607
    i32.const 1
    call $buf_read
    i32.const 1
    i32.ne
    if
    i32.const 131110
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write 196608 0 = 0
    i32.const 196608
    i32.const 0
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131148
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
