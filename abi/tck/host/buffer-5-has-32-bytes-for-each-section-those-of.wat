;; Buffer 5 has 32 bytes for each section, those of this call too.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_len 5 = 0call 2: want section_add -1 1 0 4 0 0 = 0call 3: want buf_len 5 = 32call 4: want section_add 0 1 1 2 0 0 = 1call 5: want buf_len 5 = 64")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_len 5 = 0
    i32.const 5
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
    i32.const 131098
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 32
    i32.const 5
    call $buf_len
    i32.const 32
    i32.ne
    if
    i32.const 131139
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add 0 1 1 2 0 0 = 1
    i32.const 0
    i32.const 1
    i32.const 1
    i32.const 2
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 1
    i32.ne
    if
    i32.const 131166
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 64
    i32.const 5
    call $buf_len
    i32.const 64
    i32.ne
    if
    i32.const 131206
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
