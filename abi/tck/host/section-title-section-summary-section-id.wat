;; section_title, section_summary, section_id, section_text.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_title" (func $section_title (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_summary" (func $section_summary (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_id" (func $section_id (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_text" (func $section_text (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "name")
  (data (i32.const 131072) "call 1: want section_add -1 1 0 4 0 0 = 0call 2: want section_title 0 0 2 3 = 0call 3: want section_title 1 0 0 1 = -1call 4: want section_title 0 0 2 33 = -2call 5: want section_summary 0 0 0 -1 = 0call 6: want section_summary -1 0 0 -1 = -1call 7: want section_summary 0 0 11 0 = -2call 8: want section_text 0 0 = 16call 9: want buf_len 16 = 0call 10: want section_id 0 0 4 = 0call 11: want section_text 0 0 = 17call 12: want buf_len 17 = 4call 13: want section_id 0 0 0 = -2call 14: want section_id 3 0 4 = -1call 15: want section_text 0 1 = 18call 16: want buf_len 18 = 3call 17: want section_text 0 2 = 19call 18: want buf_len 19 = 10call 19: want section_text 0 3 = 20call 20: want buf_len 20 = 4call 21: want section_text 0 4 = -2call 22: want section_text 7 0 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; section_add -1 1 0 4 0 0 = 0
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 4
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
    ;; section_title 0 0 2 3 = 0
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 3
    call $section_title
    i32.const 0
    i32.ne
    if
    i32.const 131113
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 1 0 0 1 = -1
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_title
    i32.const -1
    i32.ne
    if
    i32.const 131151
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 0 0 2 33 = -2
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 33
    call $section_title
    i32.const -2
    i32.ne
    if
    i32.const 131190
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_summary 0 0 0 -1 = 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const -1
    call $section_summary
    i32.const 0
    i32.ne
    if
    i32.const 131230
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_summary -1 0 0 -1 = -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const -1
    call $section_summary
    i32.const -1
    i32.ne
    if
    i32.const 131271
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_summary 0 0 11 0 = -2
    i32.const 0
    i32.const 0
    i32.const 11
    i32.const 0
    call $section_summary
    i32.const -2
    i32.ne
    if
    i32.const 131314
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 0 = 16
    i32.const 0
    i32.const 0
    call $section_text
    i32.const 16
    i32.ne
    if
    i32.const 131356
    i32.const 34
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
    i32.const 131390
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_id 0 0 4 = 0
    i32.const 0
    i32.const 0
    i32.const 4
    call $section_id
    i32.const 0
    i32.ne
    if
    i32.const 131417
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 0 = 17
    i32.const 0
    i32.const 0
    call $section_text
    i32.const 17
    i32.ne
    if
    i32.const 131451
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 17 = 4
    i32.const 17
    call $buf_len
    i32.const 4
    i32.ne
    if
    i32.const 131486
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_id 0 0 0 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_id
    i32.const -2
    i32.ne
    if
    i32.const 131514
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_id 3 0 4 = -1
    i32.const 3
    i32.const 0
    i32.const 4
    call $section_id
    i32.const -1
    i32.ne
    if
    i32.const 131549
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 1 = 18
    i32.const 0
    i32.const 1
    call $section_text
    i32.const 18
    i32.ne
    if
    i32.const 131584
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 18 = 3
    i32.const 18
    call $buf_len
    i32.const 3
    i32.ne
    if
    i32.const 131619
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 2 = 19
    i32.const 0
    i32.const 2
    call $section_text
    i32.const 19
    i32.ne
    if
    i32.const 131647
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 19 = 10
    i32.const 19
    call $buf_len
    i32.const 10
    i32.ne
    if
    i32.const 131682
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 3 = 20
    i32.const 0
    i32.const 3
    call $section_text
    i32.const 20
    i32.ne
    if
    i32.const 131711
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 20 = 4
    i32.const 20
    call $buf_len
    i32.const 4
    i32.ne
    if
    i32.const 131746
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 4 = -2
    i32.const 0
    i32.const 4
    call $section_text
    i32.const -2
    i32.ne
    if
    i32.const 131774
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 7 0 = -1
    i32.const 7
    i32.const 0
    call $section_text
    i32.const -1
    i32.ne
    if
    i32.const 131809
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
