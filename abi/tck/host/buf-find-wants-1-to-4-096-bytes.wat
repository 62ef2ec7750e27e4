;; buf_find wants 1 to 4,096 bytes.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_find 0 0 0 0 = -2call 2: want buf_find 0 0 0 4097 = -2call 3: want buf_find 0 0 0 4096 = -1call 4: want buf_find 0 4 0 1 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_find 0 0 0 0 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $buf_find
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 0 0 4097 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 4097
    call $buf_find
    i32.const -2
    i32.ne
    if
    i32.const 131106
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 0 0 4096 = -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 4096
    call $buf_find
    i32.const -1
    i32.ne
    if
    i32.const 131143
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 4 0 1 = -2
    i32.const 0
    i32.const 4
    i32.const 0
    i32.const 1
    call $buf_find
    i32.const -2
    i32.ne
    if
    i32.const 131180
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
