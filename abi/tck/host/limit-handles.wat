;; 1,024 handles are alive at one time; one that is freed makes room, its number is not used again.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_put" (func $buf_put (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_view" (func $buf_view (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_free" (func $buf_free (param i32) (result i32)))
  (import "mcpctl:core/v1" "json_get" (func $json_get (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "json_text" (func $json_text (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_text" (func $section_text (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "cache_get" (func $cache_get (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "cache_set" (func $cache_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "last_error" (func $last_error (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "k")
  (data (i32.const 131072) "call 1: want section_add -1 1 0 1 0 0 = 0call 2: want cache_set 0 1 0 1 = 0call 3: want buf_len 99 = -2call 5: want buf_put 0 1 = -3call 6: want buf_view 0 0 0 = -3call 7: want json_get 0 0 0 = -3call 8: want json_text 0 1 5 = -3call 9: want section_text 0 0 = -3call 10: want cache_get 0 1 = -3call 11: want last_error = -3call 12: want buf_free 16 = 0call 13: want buf_put 0 1 = 1040")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; section_add -1 1 0 1 0 0 = 0
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_set 0 1 0 1 = 0
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 1
    call $cache_set
    i32.const 0
    i32.ne
    if
    i32.const 131113
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 99 = -2
    i32.const 99
    call $buf_len
    i32.const -2
    i32.ne
    if
    i32.const 131147
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; 1024 * buf_view 0 0 0
    i32.const 1024
    local.set $left
    loop
    i32.const 0
    i32.const 0
    i32.const 0
    call $buf_view
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; buf_put 0 1 = -3
    i32.const 0
    i32.const 1
    call $buf_put
    i32.const -3
    i32.ne
    if
    i32.const 131175
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 0 0 = -3
    i32.const 0
    i32.const 0
    i32.const 0
    call $buf_view
    i32.const -3
    i32.ne
    if
    i32.const 131204
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_get 0 0 0 = -3
    i32.const 0
    i32.const 0
    i32.const 0
    call $json_get
    i32.const -3
    i32.ne
    if
    i32.const 131236
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 1 5 = -3
    i32.const 0
    i32.const 1
    i32.const 5
    call $json_text
    i32.const -3
    i32.ne
    if
    i32.const 131268
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 0 = -3
    i32.const 0
    i32.const 0
    call $section_text
    i32.const -3
    i32.ne
    if
    i32.const 131301
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_get 0 1 = -3
    i32.const 0
    i32.const 1
    call $cache_get
    i32.const -3
    i32.ne
    if
    i32.const 131335
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; last_error = -3
    call $last_error
    i32.const -3
    i32.ne
    if
    i32.const 131367
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_free 16 = 0
    i32.const 16
    call $buf_free
    i32.const 0
    i32.ne
    if
    i32.const 131396
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_put 0 1 = 1040
    i32.const 0
    i32.const 1
    call $buf_put
    i32.const 1040
    i32.ne
    if
    i32.const 131425
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
