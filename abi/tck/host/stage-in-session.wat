;; What a controller may is denied to a stage.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_get" (func $state_get (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_set" (func $state_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_del" (func $state_del (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tools" (func $tools (result i32)))
  (import "mcpctl:session/v1" "tool_hide" (func $tool_hide (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_patch" (func $tool_patch (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_add" (func $tool_add (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "servers" (func $servers (result i32)))
  (import "mcpctl:session/v1" "out_to" (func $out_to (param i32) (result i32)))
  (import "mcpctl:session/v1" "out_kind" (func $out_kind (param i32) (result i32)))
  (import "mcpctl:session/v1" "call_rewrite" (func $call_rewrite (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "notify" (func $notify (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompts" (func $prompts (result i32)))
  (import "mcpctl:session/v1" "prompt_records" (func $prompt_records (result i32)))
  (import "mcpctl:session/v1" "prompt_body" (func $prompt_body (param i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_propose" (func $prompt_propose (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_open" (func $content_open (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_meta" (func $content_meta (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "section_read" (func $section_read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want state_get 0 0 = -5call 2: want state_set 0 0 0 0 = -5call 3: want state_del 0 0 = -5call 4: want tools = -5call 5: want tool_hide 0 0 = -5call 6: want tool_patch 0 0 0 0 = -5call 7: want tool_add 0 0 = -5call 8: want servers = -5call 9: want out_to 0 = -5call 10: want out_kind 0 = -5call 11: want call_rewrite 0 0 0 0 0 = -5call 12: want notify 0 0 0 0 = -5call 13: want prompts = -5call 14: want prompt_records = -5call 15: want prompt_body 0 0 0 = -5call 16: want prompt_propose 0 0 = -5call 17: want content_open 0 0 = -5call 18: want content_meta 0 0 = -5call 19: want section_read 0 0 0 0 = -5")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; state_get 0 0 = -5
    i32.const 0
    i32.const 0
    call $state_get
    i32.const -5
    i32.ne
    if
    i32.const 131072
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set 0 0 0 0 = -5
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $state_set
    i32.const -5
    i32.ne
    if
    i32.const 131103
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_del 0 0 = -5
    i32.const 0
    i32.const 0
    call $state_del
    i32.const -5
    i32.ne
    if
    i32.const 131138
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tools = -5
    call $tools
    i32.const -5
    i32.ne
    if
    i32.const 131169
    i32.const 23
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_hide 0 0 = -5
    i32.const 0
    i32.const 0
    call $tool_hide
    i32.const -5
    i32.ne
    if
    i32.const 131192
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch 0 0 0 0 = -5
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $tool_patch
    i32.const -5
    i32.ne
    if
    i32.const 131223
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add 0 0 = -5
    i32.const 0
    i32.const 0
    call $tool_add
    i32.const -5
    i32.ne
    if
    i32.const 131259
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; servers = -5
    call $servers
    i32.const -5
    i32.ne
    if
    i32.const 131289
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 0 = -5
    i32.const 0
    call $out_to
    i32.const -5
    i32.ne
    if
    i32.const 131314
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_kind 0 = -5
    i32.const 0
    call $out_kind
    i32.const -5
    i32.ne
    if
    i32.const 131340
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite 0 0 0 0 0 = -5
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $call_rewrite
    i32.const -5
    i32.ne
    if
    i32.const 131369
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify 0 0 0 0 = -5
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $notify
    i32.const -5
    i32.ne
    if
    i32.const 131410
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompts = -5
    call $prompts
    i32.const -5
    i32.ne
    if
    i32.const 131443
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_records = -5
    call $prompt_records
    i32.const -5
    i32.ne
    if
    i32.const 131469
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_body 0 0 0 = -5
    i32.const 0
    i32.const 0
    i32.const 0
    call $prompt_body
    i32.const -5
    i32.ne
    if
    i32.const 131502
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_propose 0 0 = -5
    i32.const 0
    i32.const 0
    call $prompt_propose
    i32.const -5
    i32.ne
    if
    i32.const 131538
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_open 0 0 = -5
    i32.const 0
    i32.const 0
    call $content_open
    i32.const -5
    i32.ne
    if
    i32.const 131575
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_meta 0 0 = -5
    i32.const 0
    i32.const 0
    call $content_meta
    i32.const -5
    i32.ne
    if
    i32.const 131610
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_read 0 0 0 0 = -5
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $section_read
    i32.const -5
    i32.ne
    if
    i32.const 131645
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
