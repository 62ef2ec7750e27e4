;; last_error has a sentence for all codes but NOT_FOUND.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "cache_get" (func $cache_get (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "last_error" (func $last_error (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want last_error = -1call 2: want cache_get 0 3 = -1call 3: want last_error = -1call 4: want buf_len 99 = -2call 5: want last_error = 16call 6: want buf_len 16 = 24call 7: want cache_get 0 3 = -1call 8: want last_error = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; last_error = -1
    call $last_error
    i32.const -1
    i32.ne
    if
    i32.const 131072
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 3 = -1
    i32.const 0
    i32.const 3
    call $cache_get
    i32.const -1
    i32.ne
    if
    i32.const 131100
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; last_error = -1
    call $last_error
    i32.const -1
    i32.ne
    if
    i32.const 131131
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 99 = -2
    i32.const 99
    call $buf_len
    i32.const -2
    i32.ne
    if
    i32.const 131159
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; last_error = 16
    call $last_error
    i32.const 16
    i32.ne
    if
    i32.const 131187
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 24
    i32.const 16
    call $buf_len
    i32.const 24
    i32.ne
    if
    i32.const 131215
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 3 = -1
    i32.const 0
    i32.const 3
    call $cache_get
    i32.const -1
    i32.ne
    if
    i32.const 131243
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; last_error = -1
    call $last_error
    i32.const -1
    i32.ne
    if
    i32.const 131274
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
