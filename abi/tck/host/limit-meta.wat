;; 16 KiB of metadata.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "meta_set" (func $meta_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "key")
  (data (i32.const 131072) "call 1: want meta_set 0 3 100 16381 = 0call 2: want meta_set 0 2 0 1 = -3call 3: want meta_set 0 3 100 10 = 0call 4: want meta_set 0 2 0 1 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; meta_set 0 3 100 16381 = 0
    i32.const 0
    i32.const 3
    i32.const 100
    i32.const 16381
    call $meta_set
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 2 0 1 = -3
    i32.const 0
    i32.const 2
    i32.const 0
    i32.const 1
    call $meta_set
    i32.const -3
    i32.ne
    if
    i32.const 131111
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 3 100 10 = 0
    i32.const 0
    i32.const 3
    i32.const 100
    i32.const 10
    call $meta_set
    i32.const 0
    i32.ne
    if
    i32.const 131145
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 2 0 1 = 0
    i32.const 0
    i32.const 2
    i32.const 0
    i32.const 1
    call $meta_set
    i32.const 0
    i32.ne
    if
    i32.const 131181
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
