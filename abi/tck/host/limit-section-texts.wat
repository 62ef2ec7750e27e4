;; Texts of Sections are bounded in sum: 8 MiB. A longer title is cut at 256 bytes.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_title" (func $section_title (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_summary" (func $section_summary (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_id" (func $section_id (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 2: want section_add -1 -1 0 0 0 1 = -3xcall 3: want section_id 0 \22x\22 = -3call 4: want section_summary 0 0 0 1 = -3call 5: want section_title 0 0 0 1 = 0call 6: want section_summary 0 0 0 1 = 0call 7: want section_add -1 -1 0 0 0 0 = 32768call 8: want section_title 32768 0 0 10 = 0call 9: want section_add -1 -1 0 0 0 200 = 32769call 10: want section_add -1 -1 0 0 0 44 = 32770call 11: want section_title 0 0 0 10 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; 32768 * section_add -1 -1 0 0 0 300
    i32.const 32768
    local.set $left
    loop
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 300
    call $section_add
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; section_add -1 -1 0 0 0 1 = -3
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_add
    i32.const -3
    i32.ne
    if
    i32.const 131072
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_id 0 "x" = -3
    i32.const 0
    i32.const 131115
    i32.const 1
    call $section_id
    i32.const -3
    i32.ne
    if
    i32.const 131116
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_summary 0 0 0 1 = -3
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_summary
    i32.const -3
    i32.ne
    if
    i32.const 131150
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 0 0 0 1 = 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_title
    i32.const 0
    i32.ne
    if
    i32.const 131191
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_summary 0 0 0 1 = 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_summary
    i32.const 0
    i32.ne
    if
    i32.const 131229
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 0 0 0 = 32768
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 32768
    i32.ne
    if
    i32.const 131269
    i32.const 46
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 32768 0 0 10 = 0
    i32.const 32768
    i32.const 0
    i32.const 0
    i32.const 10
    call $section_title
    i32.const 0
    i32.ne
    if
    i32.const 131315
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 0 0 200 = 32769
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 200
    call $section_add
    i32.const 32769
    i32.ne
    if
    i32.const 131358
    i32.const 48
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 -1 0 0 0 44 = 32770
    i32.const -1
    i32.const -1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 44
    call $section_add
    i32.const 32770
    i32.ne
    if
    i32.const 131406
    i32.const 48
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 0 0 0 10 = -3
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 10
    call $section_title
    i32.const -3
    i32.ne
    if
    i32.const 131454
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
