;; Sections are bounded, by the limit that the context tells.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want section_add -1 -1 0 0 0 0 = 0call 2: want section_add -1 -1 0 0 0 0 = 1call 3: want section_add -1 -1 0 0 0 0 = 2call 4: want section_add -1 -1 0 0 0 0 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; section_add -1 -1 0 0 0 0 = 0
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
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
    ;; section_add -1 -1 0 0 0 0 = 1
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 1
    i32.ne
    if
    i32.const 131114
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 0 0 0 = 2
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 2
    i32.ne
    if
    i32.const 131156
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 0 0 0 = -3
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -3
    i32.ne
    if
    i32.const 131198
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
