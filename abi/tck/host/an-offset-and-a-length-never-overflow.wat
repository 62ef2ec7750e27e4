;; An offset and a length never overflow.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_lines" (func $buf_lines (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_grep" (func $buf_grep (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_hash" (func $buf_hash (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_tokens" (func $buf_tokens (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_view" (func $buf_view (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "json_text" (func $json_text (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_title" (func $section_title (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "l")
  (data (i32.const 131072) "call 1: want buf_view 0 2147483647 2147483647 = -2call 2: want buf_view 0 1 2147483647 = -2call 3: want buf_view 0 -2147483648 -1 = -2call 4: want out_span 0 2147483647 2147483647 = -2call 5: want out_span 0 2 -2 = -2call 6: want out_span 0 -1 1 = -2call 7: want buf_tokens 0 2147483647 1 = -2call 8: want buf_hash 0 1 2147483647 100 = -2call 9: want buf_find 0 -1 0 1 = -2call 10: want buf_find 0 2147483647 0 1 = -2call 11: want buf_lines 0 -1 100 8 = -2call 12: want buf_grep 0 -1 0 1 0 100 8 = -2call 13: want buf_grep 0 6 0 1 0 100 8 = -2call 14: want json_text 0 -1 -1 = -2call 15: want json_text 0 0 -1 = -2call 16: want json_text 0 2147483647 2147483647 = -2call 17: want section_add -1 1 0 2147483647 0 0 = -2call 18: want section_add -1 1 -2147483648 1 0 0 = -2call 19: want section_add 2147483647 1 0 1 0 0 = -2call 20: want section_title 0 0 2147483647 2147483647 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_view 0 2147483647 2147483647 = -2
    i32.const 0
    i32.const 2147483647
    i32.const 2147483647
    call $buf_view
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 1 2147483647 = -2
    i32.const 0
    i32.const 1
    i32.const 2147483647
    call $buf_view
    i32.const -2
    i32.ne
    if
    i32.const 131122
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_view 0 -2147483648 -1 = -2
    i32.const 0
    i32.const -2147483648
    i32.const -1
    call $buf_view
    i32.const -2
    i32.ne
    if
    i32.const 131163
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 2147483647 2147483647 = -2
    i32.const 0
    i32.const 2147483647
    i32.const 2147483647
    call $out_span
    i32.const -2
    i32.ne
    if
    i32.const 131206
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 2 -2 = -2
    i32.const 0
    i32.const 2
    i32.const -2
    call $out_span
    i32.const -2
    i32.ne
    if
    i32.const 131256
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 -1 1 = -2
    i32.const 0
    i32.const -1
    i32.const 1
    call $out_span
    i32.const -2
    i32.ne
    if
    i32.const 131289
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_tokens 0 2147483647 1 = -2
    i32.const 0
    i32.const 2147483647
    i32.const 1
    call $buf_tokens
    i32.const -2
    i32.ne
    if
    i32.const 131322
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_hash 0 1 2147483647 100 = -2
    i32.const 0
    i32.const 1
    i32.const 2147483647
    i32.const 100
    call $buf_hash
    i32.const -2
    i32.ne
    if
    i32.const 131365
    i32.const 45
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 -1 0 1 = -2
    i32.const 0
    i32.const -1
    i32.const 0
    i32.const 1
    call $buf_find
    i32.const -2
    i32.ne
    if
    i32.const 131410
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 0 2147483647 0 1 = -2
    i32.const 0
    i32.const 2147483647
    i32.const 0
    i32.const 1
    call $buf_find
    i32.const -2
    i32.ne
    if
    i32.const 131445
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_lines 0 -1 100 8 = -2
    i32.const 0
    i32.const -1
    i32.const 100
    i32.const 8
    call $buf_lines
    i32.const -2
    i32.ne
    if
    i32.const 131489
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 -1 0 1 0 100 8 = -2
    i32.const 0
    i32.const -1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_grep
    i32.const -2
    i32.ne
    if
    i32.const 131528
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 0 6 0 1 0 100 8 = -2
    i32.const 0
    i32.const 6
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 100
    i32.const 8
    call $buf_grep
    i32.const -2
    i32.ne
    if
    i32.const 131572
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 -1 -1 = -2
    i32.const 0
    i32.const -1
    i32.const -1
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131615
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 0 -1 = -2
    i32.const 0
    i32.const 0
    i32.const -1
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131651
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_text 0 2147483647 2147483647 = -2
    i32.const 0
    i32.const 2147483647
    i32.const 2147483647
    call $json_text
    i32.const -2
    i32.ne
    if
    i32.const 131686
    i32.const 52
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 0 2147483647 0 0 = -2
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 2147483647
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131738
    i32.const 52
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 -2147483648 1 0 0 = -2
    i32.const -1
    i32.const 1
    i32.const -2147483648
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131790
    i32.const 53
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 2147483647 1 0 1 0 0 = -2
    i32.const 2147483647
    i32.const 1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131843
    i32.const 51
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 0 0 2147483647 2147483647 = -2
    i32.const 0
    i32.const 0
    i32.const 2147483647
    i32.const 2147483647
    call $section_title
    i32.const -2
    i32.ne
    if
    i32.const 131894
    i32.const 58
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
