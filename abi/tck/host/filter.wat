;; A filter adds no Sections and no marks.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"filter"},{"name":"other","kind":"stage","capabilities":["cache","llm"]}]}
(module
  (import "mcpctl:core/v1" "out_index" (func $out_index (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_title" (func $section_title (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_summary" (func $section_summary (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_id" (func $section_id (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_text" (func $section_text (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want out_index -1 0 0 = -8call 2: want section_add -1 1 0 1 0 0 = -8call 3: want sections_add 1 0 0 0 0 = -8call 4: want section_title 0 0 0 1 = -8call 5: want section_summary 0 0 0 1 = -8call 6: want section_id 0 0 1 = -8call 7: want section_text 0 0 = -8")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; out_index -1 0 0 = -8
    i32.const -1
    i32.const 0
    i32.const 0
    call $out_index
    i32.const -8
    i32.ne
    if
    i32.const 131072
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 0 1 0 0 = -8
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -8
    i32.ne
    if
    i32.const 131106
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 0 0 0 0 = -8
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -8
    i32.ne
    if
    i32.const 131148
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_title 0 0 0 1 = -8
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_title
    i32.const -8
    i32.ne
    if
    i32.const 131188
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_summary 0 0 0 1 = -8
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_summary
    i32.const -8
    i32.ne
    if
    i32.const 131227
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_id 0 0 1 = -8
    i32.const 0
    i32.const 0
    i32.const 1
    call $section_id
    i32.const -8
    i32.ne
    if
    i32.const 131268
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 0 = -8
    i32.const 0
    i32.const 0
    call $section_text
    i32.const -8
    i32.ne
    if
    i32.const 131302
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
