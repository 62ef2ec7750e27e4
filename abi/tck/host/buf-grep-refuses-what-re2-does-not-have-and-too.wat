;; buf_grep refuses what RE2 does not have, and too much of it.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_grep" (func $buf_grep (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "(\5c1(a{900}){900}(x{500}|y{500})(?:a{999}){1}")
  (data (i32.const 131072) "call 1: want buf_grep 0 0 0 1 0 100 64 = -2call 2: want buf_grep 0 0 1 2 0 100 64 = -2call 3: want buf_grep 0 0 3 13 0 100 64 = -2call 4: want buf_grep 0 0 0 4097 0 100 64 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_grep 0 0 0 1 0 100 64 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_grep
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 1 2 0 100 64 = -2
    i32.const 0
    i32.const 0
    i32.const 1
    i32.const 2
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_grep
    i32.const -2
    i32.ne
    if
    i32.const 131115
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 3 13 0 100 64 = -2
    i32.const 0
    i32.const 0
    i32.const 3
    i32.const 13
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_grep
    i32.const -2
    i32.ne
    if
    i32.const 131158
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 0 4097 0 100 64 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 4097
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_grep
    i32.const -2
    i32.ne
    if
    i32.const 131202
    i32.const 46
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
