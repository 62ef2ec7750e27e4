;; section_add: group, exact through buffer 0, derived.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_put" (func $buf_put (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "own text")
  (data (i32.const 131072) "call 1: want section_add -1 -1 0 0 0 3 = 0call 2: want section_add -1 -1 0 1 0 3 = -2call 3: want section_add 0 0 5 9 0 0 = 1call 4: want section_add 0 0 0 5 0 0 = 2call 5: want buf_put 0 8 = 16call 6: want section_add -1 16 4 8 0 0 = 3call 7: want section_add 3 1 9 10 0 0 = 4")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; section_add -1 -1 0 0 0 3 = 0
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 3
    call $section_add
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 1 0 3 = -2
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 3
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131114
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 0 5 9 0 0 = 1
    i32.const 0
    i32.const 0
    i32.const 5
    i32.const 9
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 1
    i32.ne
    if
    i32.const 131157
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 0 0 5 0 0 = 2
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 5
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 2
    i32.ne
    if
    i32.const 131197
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_put 0 8 = 16
    i32.const 0
    i32.const 8
    call $buf_put
    i32.const 16
    i32.ne
    if
    i32.const 131237
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 16 4 8 0 0 = 3
    i32.const -1
    i32.const 16
    i32.const 4
    i32.const 8
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 3
    i32.ne
    if
    i32.const 131266
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 3 1 9 10 0 0 = 4
    i32.const 3
    i32.const 1
    i32.const 9
    i32.const 10
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 4
    i32.ne
    if
    i32.const 131308
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
