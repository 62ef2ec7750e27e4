;; json_each gives the total, however many it writes.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "json_each" (func $json_each (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "/k")
  (data (i32.const 131072) "call 1: want json_each 0 0 0 0 100 64 = 2call 2: want json_each 0 0 2 0 100 0 = 3call 3: want json_each 0 0 2 1 100 16 = 3call 4: want json_each 0 0 2 7 100 64 = 3call 5: want json_each 0 0 2 -1 100 64 = -2call 6: want json_each 0 0 1 0 100 64 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_each 0 0 0 0 100 64 = 2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 64
    call $json_each
    i32.const 2
    i32.ne
    if
    i32.const 131072
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 0 0 2 0 100 0 = 3
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 0
    i32.const 100
    i32.const 0
    call $json_each
    i32.const 3
    i32.ne
    if
    i32.const 131113
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 0 0 2 1 100 16 = 3
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 1
    i32.const 100
    i32.const 16
    call $json_each
    i32.const 3
    i32.ne
    if
    i32.const 131153
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 0 0 2 7 100 64 = 3
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 7
    i32.const 100
    i32.const 64
    call $json_each
    i32.const 3
    i32.ne
    if
    i32.const 131194
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 0 0 2 -1 100 64 = -2
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const -1
    i32.const 100
    i32.const 64
    call $json_each
    i32.const -2
    i32.ne
    if
    i32.const 131235
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 0 0 1 0 100 64 = -1
    i32.const 0
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 100
    i32.const 64
    call $json_each
    i32.const -1
    i32.ne
    if
    i32.const 131278
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
