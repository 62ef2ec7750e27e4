;; An empty content is content.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_read" (func $buf_read (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_lines" (func $buf_lines (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_grep" (func $buf_grep (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "json_kind" (func $json_kind (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "x")
  (data (i32.const 131072) "call 1: want buf_len 0 = 0call 2: want buf_read 0 0 100 8 = 0call 3: want buf_find 0 0 0 1 = -1call 4: want buf_lines 0 0 100 8 = 0call 5: want buf_grep 0 0 0 1 0 100 8 = 0call 6: want buf_grep 0 0 0 0 0 100 8 = 1call 7: want json_kind 0 0 0 = -2call 8: want out_span 0 0 -1 = 0call 9: want section_add -1 1 0 0 0 0 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_len 0 = 0
    i32.const 0
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_read 0 0 100 8 = 0
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_read
    i32.const 0
    i32.ne
    if
    i32.const 131098
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 0 0 1 = -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $buf_find
    i32.const -1
    i32.ne
    if
    i32.const 131133
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_lines 0 0 100 8 = 0
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_lines
    i32.const 0
    i32.ne
    if
    i32.const 131167
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 0 1 0 100 8 = 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_grep
    i32.const 0
    i32.ne
    if
    i32.const 131203
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 0 0 0 0 100 8 = 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_grep
    i32.const 1
    i32.ne
    if
    i32.const 131244
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 0 0 0 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    call $json_kind
    i32.const -2
    i32.ne
    if
    i32.const 131285
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 0 -1 = 0
    i32.const 0
    i32.const 0
    i32.const -1
    call $out_span
    i32.const 0
    i32.ne
    if
    i32.const 131318
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 0 0 0 0 = -2
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131350
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
