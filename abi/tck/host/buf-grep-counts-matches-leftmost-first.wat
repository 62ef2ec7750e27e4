;; buf_grep counts matches, leftmost first.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_grep" (func $buf_grep (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\5cw+")
  (data (i32.const 131072) "call 1: want buf_grep 0 0 0 3 0 100 64 = 3call 2: want buf_grep 0 4 0 3 0 100 64 = 2call 3: want buf_grep 0 0 0 3 0 100 15 = 1call 4: want buf_grep 0 0 0 3 0 100 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_grep 0 0 0 3 0 100 64 = 3
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 3
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_grep
    i32.const 3
    i32.ne
    if
    i32.const 131072
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 4 0 3 0 100 64 = 2
    i32.const 0
    i32.const 4
    i32.const 0
    i32.const 3
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_grep
    i32.const 2
    i32.ne
    if
    i32.const 131114
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 0 3 0 100 15 = 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 3
    i32.const 0
    i32.const 100
    i32.const 15
    call $buf_grep
    i32.const 1
    i32.ne
    if
    i32.const 131156
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 0 3 0 100 0 = 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 3
    i32.const 0
    i32.const 100
    i32.const 0
    call $buf_grep
    i32.const 0
    i32.ne
    if
    i32.const 131198
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
