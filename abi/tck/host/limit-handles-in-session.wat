;; The same limit where a controller reads its session.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "buf_view" (func $buf_view (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_get" (func $state_get (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_set" (func $state_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tools" (func $tools (result i32)))
  (import "mcpctl:session/v1" "servers" (func $servers (result i32)))
  (import "mcpctl:session/v1" "prompts" (func $prompts (result i32)))
  (import "mcpctl:session/v1" "prompt_records" (func $prompt_records (result i32)))
  (import "mcpctl:session/v1" "prompt_body" (func $prompt_body (param i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_propose" (func $prompt_propose (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_open" (func $content_open (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_meta" (func $content_meta (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "section_read" (func $section_read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "kvcall 1: want state_set \22k\22 \22v\22 = 0call 3: want tools = -3call 4: want servers = -3call 5: want prompts = -3call 6: want prompt_records = -3kcall 7: want state_get \22k\22 = -3tonecall 8: want prompt_body \22tone\22 0 = -3{}call 9: want prompt_propose \22{}\22 = -3k7m2q9x4t6b8w3n5call 10: want content_open \22k7m2q9x4t6b8w3n5\22 = -3k7m2q9x4t6b8w3n5call 11: want content_meta \22k7m2q9x4t6b8w3n5\22 = -3k7m2q9x4t6b8w3n5twocall 12: want section_read \22k7m2q9x4t6b8w3n5\22 \22two\22 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; state_set "k" "v" = 0
    i32.const 131072
    i32.const 1
    i32.const 131073
    i32.const 1
    call $state_set
    i32.const 0
    i32.ne
    if
    i32.const 131074
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; 1024 * buf_view 0 0 0
    i32.const 1024
    local.set $left
    loop
    i32.const 0
    i32.const 0
    i32.const 0
    call $buf_view
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; tools = -3
    call $tools
    i32.const -3
    i32.ne
    if
    i32.const 131108
    i32.const 23
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; servers = -3
    call $servers
    i32.const -3
    i32.ne
    if
    i32.const 131131
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompts = -3
    call $prompts
    i32.const -3
    i32.ne
    if
    i32.const 131156
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_records = -3
    call $prompt_records
    i32.const -3
    i32.ne
    if
    i32.const 131181
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_get "k" = -3
    i32.const 131213
    i32.const 1
    call $state_get
    i32.const -3
    i32.ne
    if
    i32.const 131214
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_body "tone" 0 = -3
    i32.const 131245
    i32.const 4
    i32.const 0
    call $prompt_body
    i32.const -3
    i32.ne
    if
    i32.const 131249
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_propose "{}" = -3
    i32.const 131287
    i32.const 2
    call $prompt_propose
    i32.const -3
    i32.ne
    if
    i32.const 131289
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_open "k7m2q9x4t6b8w3n5" = -3
    i32.const 131326
    i32.const 16
    call $content_open
    i32.const -3
    i32.ne
    if
    i32.const 131342
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_meta "k7m2q9x4t6b8w3n5" = -3
    i32.const 131392
    i32.const 16
    call $content_meta
    i32.const -3
    i32.ne
    if
    i32.const 131408
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_read "k7m2q9x4t6b8w3n5" "two" = -3
    i32.const 131458
    i32.const 16
    i32.const 131474
    i32.const 3
    call $section_read
    i32.const -3
    i32.ne
    if
    i32.const 131477
    i32.const 56
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
