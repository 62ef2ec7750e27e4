;; section_add: a group may stand between a string and its parts.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "json_get" (func $json_get (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "/a/b")
  (data (i32.const 131072) "call 1: want json_get 0 0 2 = 16call 2: want section_add -1 1 5 11 0 0 = 0call 3: want section_add 0 -1 0 0 0 0 = 1call 4: want section_add 1 16 2 3 0 0 = 2call 5: want section_add 1 16 0 1 0 0 = 3call 6: want json_get 0 2 2 = 17call 7: want section_add 1 17 0 1 0 0 = -2call 8: want section_add -1 -1 0 0 0 0 = 4call 9: want section_add 4 16 0 1 0 0 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_get 0 0 2 = 16
    i32.const 0
    i32.const 0
    i32.const 2
    call $json_get
    i32.const 16
    i32.ne
    if
    i32.const 131072
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 5 11 0 0 = 0
    i32.const -1
    i32.const 1
    i32.const 5
    i32.const 11
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 0
    i32.ne
    if
    i32.const 131104
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 -1 0 0 0 0 = 1
    i32.const 0
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 1
    i32.ne
    if
    i32.const 131146
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 1 16 2 3 0 0 = 2
    i32.const 1
    i32.const 16
    i32.const 2
    i32.const 3
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 2
    i32.ne
    if
    i32.const 131187
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 1 16 0 1 0 0 = 3
    i32.const 1
    i32.const 16
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 3
    i32.ne
    if
    i32.const 131228
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_get 0 2 2 = 17
    i32.const 0
    i32.const 2
    i32.const 2
    call $json_get
    i32.const 17
    i32.ne
    if
    i32.const 131269
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 1 17 0 1 0 0 = -2
    i32.const 1
    i32.const 17
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131301
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 0 0 0 = 4
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 4
    i32.ne
    if
    i32.const 131343
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 4 16 0 1 0 0 = -2
    i32.const 4
    i32.const 16
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -2
    i32.ne
    if
    i32.const 131385
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
