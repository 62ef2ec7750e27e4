;; cache_get gives what cache_set kept.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "cache_get" (func $cache_get (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "cache_set" (func $cache_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "keyvalue")
  (data (i32.const 131072) "call 1: want cache_get 0 3 = -1call 2: want cache_set 0 3 3 5 = 0call 3: want cache_get 0 3 = 16call 4: want buf_len 16 = 5call 5: want cache_get 0 1025 = -1call 6: want cache_set 0 1025 3 5 = 0call 7: want cache_get 0 1025 = 17call 8: want cache_get 0 1026 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; cache_get 0 3 = -1
    i32.const 0
    i32.const 3
    call $cache_get
    i32.const -1
    i32.ne
    if
    i32.const 131072
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_set 0 3 3 5 = 0
    i32.const 0
    i32.const 3
    i32.const 3
    i32.const 5
    call $cache_set
    i32.const 0
    i32.ne
    if
    i32.const 131103
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 3 = 16
    i32.const 0
    i32.const 3
    call $cache_get
    i32.const 16
    i32.ne
    if
    i32.const 131137
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 5
    i32.const 16
    call $buf_len
    i32.const 5
    i32.ne
    if
    i32.const 131168
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 1025 = -1
    i32.const 0
    i32.const 1025
    call $cache_get
    i32.const -1
    i32.ne
    if
    i32.const 131195
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_set 0 1025 3 5 = 0
    i32.const 0
    i32.const 1025
    i32.const 3
    i32.const 5
    call $cache_set
    i32.const 0
    i32.ne
    if
    i32.const 131229
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 1025 = 17
    i32.const 0
    i32.const 1025
    call $cache_get
    i32.const 17
    i32.ne
    if
    i32.const 131266
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 1026 = -1
    i32.const 0
    i32.const 1026
    call $cache_get
    i32.const -1
    i32.ne
    if
    i32.const 131300
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
