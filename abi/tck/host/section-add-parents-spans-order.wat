;; section_add: parents, spans, order.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "title")
  (data (i32.const 131072) "call 1: want section_add -1 1 0 4 0 5 = 0call 2: want section_add -1 1 4 10 0 5 = 1call 3: want section_add -1 1 3 10 0 5 = -2call 4: want section_add 9 1 0 1 0 0 = -2call 5: want section_add 0 1 2 5 0 0 = -2call 6: want section_add 0 1 2 2 0 0 = -2call 7: want section_add 0 1 3 2 0 0 = -2call 8: want section_add 0 1 -1 2 0 0 = -2call 9: want section_add 0 1 2 11 0 0 = -2call 10: want section_add 0 1 1 4 0 0 = 2call 11: want section_add -1 77 0 1 0 0 = -2call 12: want section_add -2 1 0 1 0 0 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; section_add -1 1 0 4 0 5 = 0
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 4
    i32.const 0
    i32.const 5
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
    ;; section_add -1 1 4 10 0 5 = 1
    i32.const -1
    i32.const 1
    i32.const 4
    i32.const 10
    i32.const 0
    i32.const 5
    call $section_add
    i32.const 1
    i32.ne
    if
    i32.const 131113
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 3 10 0 5 = -2
    i32.const -1
    i32.const 1
    i32.const 3
    i32.const 10
    i32.const 0
    i32.const 5
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131155
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 9 1 0 1 0 0 = -2
    i32.const 9
    i32.const 1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131198
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 2 5 0 0 = -2
    i32.const 0
    i32.const 1
    i32.const 2
    i32.const 5
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131239
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 2 2 0 0 = -2
    i32.const 0
    i32.const 1
    i32.const 2
    i32.const 2
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131280
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 3 2 0 0 = -2
    i32.const 0
    i32.const 1
    i32.const 3
    i32.const 2
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131321
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 -1 2 0 0 = -2
    i32.const 0
    i32.const 1
    i32.const -1
    i32.const 2
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131362
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 2 11 0 0 = -2
    i32.const 0
    i32.const 1
    i32.const 2
    i32.const 11
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131404
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 1 4 0 0 = 2
    i32.const 0
    i32.const 1
    i32.const 1
    i32.const 4
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 2
    i32.ne
    if
    i32.const 131446
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 77 0 1 0 0 = -2
    i32.const -1
    i32.const 77
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131487
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -2 1 0 1 0 0 = -2
    i32.const -2
    i32.const 1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131531
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
