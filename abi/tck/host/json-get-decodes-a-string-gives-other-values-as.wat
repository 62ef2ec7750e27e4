;; json_get decodes a string, gives other values as they stand.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "json_get" (func $json_get (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "/s/o/x")
  (data (i32.const 131072) "call 1: want json_get 0 0 2 = 16call 2: want buf_len 16 = 2call 3: want json_get 0 2 2 = 17call 4: want buf_len 17 = 13call 5: want json_get 0 2 4 = 18call 6: want buf_len 18 = 3call 7: want json_get 0 4 2 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_get 0 0 2 = 16
    i32.const 0
    i32.const 0
    i32.const 2
    call $json_get
    i32.const 16
    i32.ne
    if
    i32.const 131072
    i32.const 32
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
    i32.const 131104
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_get 0 2 2 = 17
    i32.const 0
    i32.const 2
    i32.const 2
    call $json_get
    i32.const 17
    i32.ne
    if
    i32.const 131131
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 17 = 13
    i32.const 17
    call $buf_len
    i32.const 13
    i32.ne
    if
    i32.const 131163
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_get 0 2 4 = 18
    i32.const 0
    i32.const 2
    i32.const 4
    call $json_get
    i32.const 18
    i32.ne
    if
    i32.const 131191
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 18 = 3
    i32.const 18
    call $buf_len
    i32.const 3
    i32.ne
    if
    i32.const 131223
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_get 0 4 2 = -1
    i32.const 0
    i32.const 4
    i32.const 2
    call $json_get
    i32.const -1
    i32.ne
    if
    i32.const 131250
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
