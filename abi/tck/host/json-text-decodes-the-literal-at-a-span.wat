;; json_text decodes the literal at a span.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "json_text" (func $json_text (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want json_text 0 1 5 = 16call 2: want buf_len 16 = 2call 3: want json_text 0 6 7 = -2call 4: want json_text 0 1 4 = -2call 5: want json_text 0 5 1 = -2call 6: want json_text 0 1 99 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_text 0 1 5 = 16
    i32.const 0
    i32.const 1
    i32.const 5
    call $json_text
    i32.const 16
    i32.ne
    if
    i32.const 131072
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 2
    i32.const 16
    call $buf_len
    i32.const 2
    i32.ne
    if
    i32.const 131105
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 6 7 = -2
    i32.const 0
    i32.const 6
    i32.const 7
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131132
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 1 4 = -2
    i32.const 0
    i32.const 1
    i32.const 4
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131165
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 5 1 = -2
    i32.const 0
    i32.const 5
    i32.const 1
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131198
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 1 99 = -2
    i32.const 0
    i32.const 1
    i32.const 99
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131231
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
