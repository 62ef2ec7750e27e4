;; buf_put, buf_view, buf_free; a number is not used again.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_put" (func $buf_put (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_view" (func $buf_view (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_free" (func $buf_free (param i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "abc")
  (data (i32.const 131072) "call 1: want buf_put 0 3 = 16call 2: want buf_view 0 1 3 = 17call 3: want buf_view 17 1 -1 = 18call 4: want buf_len 18 = 2call 5: want buf_free 17 = 0call 6: want buf_len 17 = -2call 7: want buf_len 18 = 2call 8: want buf_put 0 1 = 19call 9: want buf_free 17 = -2call 10: want buf_free 0 = -2call 11: want buf_view 0 1 9 = -2call 12: want buf_view 20 0 0 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_put 0 3 = 16
    i32.const 0
    i32.const 3
    call $buf_put
    i32.const 16
    i32.ne
    if
    i32.const 131072
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 1 3 = 17
    i32.const 0
    i32.const 1
    i32.const 3
    call $buf_view
    i32.const 17
    i32.ne
    if
    i32.const 131101
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 17 1 -1 = 18
    i32.const 17
    i32.const 1
    i32.const -1
    call $buf_view
    i32.const 18
    i32.ne
    if
    i32.const 131133
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 18 = 2
    i32.const 18
    call $buf_len
    i32.const 2
    i32.ne
    if
    i32.const 131167
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_free 17 = 0
    i32.const 17
    call $buf_free
    i32.const 0
    i32.ne
    if
    i32.const 131194
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 17 = -2
    i32.const 17
    call $buf_len
    i32.const -2
    i32.ne
    if
    i32.const 131222
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 18 = 2
    i32.const 18
    call $buf_len
    i32.const 2
    i32.ne
    if
    i32.const 131250
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_put 0 1 = 19
    i32.const 0
    i32.const 1
    call $buf_put
    i32.const 19
    i32.ne
    if
    i32.const 131277
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_free 17 = -2
    i32.const 17
    call $buf_free
    i32.const -2
    i32.ne
    if
    i32.const 131306
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_free 0 = -2
    i32.const 0
    call $buf_free
    i32.const -2
    i32.ne
    if
    i32.const 131335
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 1 9 = -2
    i32.const 0
    i32.const 1
    i32.const 9
    call $buf_view
    i32.const -2
    i32.ne
    if
    i32.const 131364
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 20 0 0 = -2
    i32.const 20
    i32.const 0
    i32.const 0
    call $buf_view
    i32.const -2
    i32.ne
    if
    i32.const 131397
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
