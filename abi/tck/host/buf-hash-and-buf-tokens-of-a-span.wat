;; buf_hash and buf_tokens of a span.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_hash" (func $buf_hash (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_tokens" (func $buf_tokens (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_hash 0 0 -1 100 = 32call 2: want buf_hash 0 3 3 100 = -2call 3: want buf_tokens 0 0 -1 = 1call 4: want buf_tokens 0 0 -2 = -2call 5: want buf_tokens 0 6 0 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_hash 0 0 -1 100 = 32
    i32.const 0
    i32.const 0
    i32.const -1
    i32.const 100
    call $buf_hash
    i32.const 32
    i32.ne
    if
    i32.const 131072
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_hash 0 3 3 100 = -2
    i32.const 0
    i32.const 3
    i32.const 3
    i32.const 100
    call $buf_hash
    i32.const -2
    i32.ne
    if
    i32.const 131109
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_tokens 0 0 -1 = 1
    i32.const 0
    i32.const 0
    i32.const -1
    call $buf_tokens
    i32.const 1
    i32.ne
    if
    i32.const 131145
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_tokens 0 0 -2 = -2
    i32.const 0
    i32.const 0
    i32.const -2
    call $buf_tokens
    i32.const -2
    i32.ne
    if
    i32.const 131179
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_tokens 0 6 0 = -2
    i32.const 0
    i32.const 6
    i32.const 0
    call $buf_tokens
    i32.const -2
    i32.ne
    if
    i32.const 131214
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
