;; A cache without room refuses.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "cache_get" (func $cache_get (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "cache_set" (func $cache_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "kcall 1: want cache_get \22k\22 = -1kvcall 2: want cache_set \22k\22 \22v\22 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; cache_get "k" = -1
    i32.const 131072
    i32.const 1
    call $cache_get
    i32.const -1
    i32.ne
    if
    i32.const 131073
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_set "k" "v" = -3
    i32.const 131104
    i32.const 1
    i32.const 131105
    i32.const 1
    call $cache_set
    i32.const -3
    i32.ne
    if
    i32.const 131106
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
