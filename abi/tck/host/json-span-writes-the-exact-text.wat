;; json_span writes the exact text.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "json_span" (func $json_span (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "/0")
  (data (i32.const 131072) "call 1: want json_span 0 0 2 100 = 5call 2: want json_span 0 0 1 100 = -1call 3: want json_span 0 1 1 100 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_span 0 0 2 100 = 5
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 100
    call $json_span
    i32.const 5
    i32.ne
    if
    i32.const 131072
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_span 0 0 1 100 = -1
    i32.const 0
    i32.const 0
    i32.const 1
    i32.const 100
    call $json_span
    i32.const -1
    i32.ne
    if
    i32.const 131108
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_span 0 1 1 100 = -2
    i32.const 0
    i32.const 1
    i32.const 1
    i32.const 100
    call $json_span
    i32.const -2
    i32.ne
    if
    i32.const 131145
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
