;; buf_lines fills starts, the first is off.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_lines" (func $buf_lines (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_lines 0 0 100 64 = 4call 2: want buf_lines 0 0 100 8 = 2call 3: want buf_lines 0 7 100 64 = 0call 4: want buf_lines 0 8 100 64 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_lines 0 0 100 64 = 4
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 64
    call $buf_lines
    i32.const 4
    i32.ne
    if
    i32.const 131072
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_lines 0 0 100 8 = 2
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_lines
    i32.const 2
    i32.ne
    if
    i32.const 131109
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_lines 0 7 100 64 = 0
    i32.const 0
    i32.const 7
    i32.const 100
    i32.const 64
    call $buf_lines
    i32.const 0
    i32.ne
    if
    i32.const 131145
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_lines 0 8 100 64 = -2
    i32.const 0
    i32.const 8
    i32.const 100
    i32.const 64
    call $buf_lines
    i32.const -2
    i32.ne
    if
    i32.const 131182
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
