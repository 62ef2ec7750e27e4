;; Sizes of texts are added up without overflow: records cannot say more than there is, nor less than nothing.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\ff\ff\ff\ff\00\00\00\00\04\00\00\00\00\00\00\80\00\00\00\80\ff\ff\ff\ff\04\00\00\00\08\00\00\00\00\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00\04\00\00\00\02\00\00\00\ff\ff\ff\ff")
  (data (i32.const 131072) "call 1: want sections_add 1 0 20 0 0 = -2call 2: want sections_add 1 0 40 0 0 = -2call 3: want sections_add 1 40 20 0 1 = -2call 4: want buf_len 5 = 0call 5: want sections_add 1 20 20 0 0 = 0call 6: want buf_len 5 = 32")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; sections_add 1 0 20 0 0 = -2
    i32.const 1
    i32.const 0
    i32.const 20
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 0 40 0 0 = -2
    i32.const 1
    i32.const 0
    i32.const 40
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131113
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 40 20 0 1 = -2
    i32.const 1
    i32.const 40
    i32.const 20
    i32.const 0
    i32.const 1
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131154
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 0
    i32.const 5
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131196
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 20 20 0 0 = 0
    i32.const 1
    i32.const 20
    i32.const 20
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const 0
    i32.ne
    if
    i32.const 131222
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 32
    i32.const 5
    call $buf_len
    i32.const 32
    i32.ne
    if
    i32.const 131263
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
