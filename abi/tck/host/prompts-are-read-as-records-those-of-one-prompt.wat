;; Prompts are read as records: those of one prompt, its name, an empty summary.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_records" (func $prompt_records (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want prompt_records = 16call 2: want buf_len 16 = 110tone\0a\0acall 3: want buf_find 16 0 \22tone\5cn\5cn\22 = 104")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; prompt_records = 16
    call $prompt_records
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
    ;; buf_len 16 = 110
    i32.const 16
    call $buf_len
    i32.const 110
    i32.ne
    if
    i32.const 131104
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 0 "tone\n\n" = 104
    i32.const 16
    i32.const 0
    i32.const 131133
    i32.const 6
    call $buf_find
    i32.const 104
    i32.ne
    if
    i32.const 131139
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
