;; buf_read gives what is left, 0 at the end.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_read" (func $buf_read (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_read 0 0 100 4 = 4call 2: want buf_read 0 8 100 4 = 2call 3: want buf_read 0 10 100 4 = 0call 4: want buf_read 0 0 100 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_read 0 0 100 4 = 4
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 4
    call $buf_read
    i32.const 4
    i32.ne
    if
    i32.const 131072
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 0 8 100 4 = 2
    i32.const 0
    i32.const 8
    i32.const 100
    i32.const 4
    call $buf_read
    i32.const 2
    i32.ne
    if
    i32.const 131107
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 0 10 100 4 = 0
    i32.const 0
    i32.const 10
    i32.const 100
    i32.const 4
    call $buf_read
    i32.const 0
    i32.ne
    if
    i32.const 131142
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 0 0 100 0 = 0
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 0
    call $buf_read
    i32.const 0
    i32.ne
    if
    i32.const 131178
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
