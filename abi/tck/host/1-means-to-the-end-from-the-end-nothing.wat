;; -1 means to the end, from the end nothing.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_lines" (func $buf_lines (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_hash" (func $buf_hash (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_tokens" (func $buf_tokens (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_view" (func $buf_view (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_view 0 5 -1 = 16call 2: want buf_len 16 = 0call 3: want buf_view 0 5 0 = 17call 4: want buf_view 16 0 -1 = 18call 5: want buf_hash 16 0 -1 100 = 32call 6: want buf_tokens 0 5 -1 = 0call 7: want out_span 0 5 -1 = 0call 8: want out_span 18 0 0 = 0call 9: want buf_view 0 6 -1 = -2call 10: want buf_lines 0 5 100 8 = 0call 11: want buf_find 0 5 0 1 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_view 0 5 -1 = 16
    i32.const 0
    i32.const 5
    i32.const -1
    call $buf_view
    i32.const 16
    i32.ne
    if
    i32.const 131072
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 0
    i32.const 16
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131105
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 5 0 = 17
    i32.const 0
    i32.const 5
    i32.const 0
    call $buf_view
    i32.const 17
    i32.ne
    if
    i32.const 131132
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 16 0 -1 = 18
    i32.const 16
    i32.const 0
    i32.const -1
    call $buf_view
    i32.const 18
    i32.ne
    if
    i32.const 131164
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_hash 16 0 -1 100 = 32
    i32.const 16
    i32.const 0
    i32.const -1
    i32.const 100
    call $buf_hash
    i32.const 32
    i32.ne
    if
    i32.const 131198
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_tokens 0 5 -1 = 0
    i32.const 0
    i32.const 5
    i32.const -1
    call $buf_tokens
    i32.const 0
    i32.ne
    if
    i32.const 131236
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 5 -1 = 0
    i32.const 0
    i32.const 5
    i32.const -1
    call $out_span
    i32.const 0
    i32.ne
    if
    i32.const 131270
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 18 0 0 = 0
    i32.const 18
    i32.const 0
    i32.const 0
    call $out_span
    i32.const 0
    i32.ne
    if
    i32.const 131302
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 6 -1 = -2
    i32.const 0
    i32.const 6
    i32.const -1
    call $buf_view
    i32.const -2
    i32.ne
    if
    i32.const 131334
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_lines 0 5 100 8 = 0
    i32.const 0
    i32.const 5
    i32.const 100
    i32.const 8
    call $buf_lines
    i32.const 0
    i32.ne
    if
    i32.const 131367
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 5 0 1 = -1
    i32.const 0
    i32.const 5
    i32.const 0
    i32.const 1
    call $buf_find
    i32.const -1
    i32.ne
    if
    i32.const 131404
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
