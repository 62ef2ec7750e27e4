;; meta_set wants a key and text.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "meta_set" (func $meta_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "type\ff")
  (data (i32.const 131072) "call 1: want meta_set 0 4 0 2 = 0call 2: want meta_set 0 0 0 2 = -2call 3: want meta_set 0 4 4 1 = -2call 4: want meta_set 0 5 0 2 = -2call 5: want meta_set 0 4 100 16384 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; meta_set 0 4 0 2 = 0
    i32.const 0
    i32.const 4
    i32.const 0
    i32.const 2
    call $meta_set
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 0 0 2 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 2
    call $meta_set
    i32.const -2
    i32.ne
    if
    i32.const 131105
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 4 4 1 = -2
    i32.const 0
    i32.const 4
    i32.const 4
    i32.const 1
    call $meta_set
    i32.const -2
    i32.ne
    if
    i32.const 131139
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 5 0 2 = -2
    i32.const 0
    i32.const 5
    i32.const 0
    i32.const 2
    call $meta_set
    i32.const -2
    i32.ne
    if
    i32.const 131173
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; meta_set 0 4 100 16384 = -3
    i32.const 0
    i32.const 4
    i32.const 100
    i32.const 16384
    call $meta_set
    i32.const -3
    i32.ne
    if
    i32.const 131207
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
