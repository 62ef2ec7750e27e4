;; Sections of one call are bounded as those that are added one by one, and none is there then.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "last_error" (func $last_error (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\ff\ff\ff\ff\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 131072) "call 1: want sections_add -1 0 80 0 0 = -3call 2: want buf_len 5 = 0call 3: want sections_add -1 0 60 0 0 = 0call 4: want buf_len 5 = 96call 5: want sections_add -1 0 20 0 0 = -3call 6: want last_error = 16record 0call 7: want buf_find 16 0 \22record 0\22 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; sections_add -1 0 80 0 0 = -3
    i32.const -1
    i32.const 0
    i32.const 80
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -3
    i32.ne
    if
    i32.const 131072
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
    i32.const 131114
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add -1 0 60 0 0 = 0
    i32.const -1
    i32.const 0
    i32.const 60
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const 0
    i32.ne
    if
    i32.const 131140
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 96
    i32.const 5
    call $buf_len
    i32.const 96
    i32.ne
    if
    i32.const 131181
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add -1 0 20 0 0 = -3
    i32.const -1
    i32.const 0
    i32.const 20
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -3
    i32.ne
    if
    i32.const 131208
    i32.const 42
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
    i32.const 131250
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 0 "record 0" = 0
    i32.const 16
    i32.const 0
    i32.const 131278
    i32.const 8
    call $buf_find
    i32.const 0
    i32.ne
    if
    i32.const 131286
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
