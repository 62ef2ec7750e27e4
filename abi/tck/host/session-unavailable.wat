;; What the host cannot do is a code of the same meaning: unavailable.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_body" (func $prompt_body (param i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_propose" (func $prompt_propose (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_open" (func $content_open (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_meta" (func $content_meta (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "section_read" (func $section_read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "tonecall 1: want prompt_body \22tone\22 0 = -4{}call 2: want prompt_propose \22{}\22 = -4k7m2q9x4t6b8w3n5call 3: want content_open \22k7m2q9x4t6b8w3n5\22 = -4k7m2q9x4t6b8w3n5call 4: want content_meta \22k7m2q9x4t6b8w3n5\22 = -4k7m2q9x4t6b8w3n5xcall 5: want section_read \22k7m2q9x4t6b8w3n5\22 \22x\22 = -4")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; prompt_body "tone" 0 = -4
    i32.const 131072
    i32.const 4
    i32.const 0
    call $prompt_body
    i32.const -4
    i32.ne
    if
    i32.const 131076
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_propose "{}" = -4
    i32.const 131114
    i32.const 2
    call $prompt_propose
    i32.const -4
    i32.ne
    if
    i32.const 131116
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_open "k7m2q9x4t6b8w3n5" = -4
    i32.const 131153
    i32.const 16
    call $content_open
    i32.const -4
    i32.ne
    if
    i32.const 131169
    i32.const 49
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_meta "k7m2q9x4t6b8w3n5" = -4
    i32.const 131218
    i32.const 16
    call $content_meta
    i32.const -4
    i32.ne
    if
    i32.const 131234
    i32.const 49
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_read "k7m2q9x4t6b8w3n5" "x" = -4
    i32.const 131283
    i32.const 16
    i32.const 131299
    i32.const 1
    call $section_read
    i32.const -4
    i32.ne
    if
    i32.const 131300
    i32.const 53
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
