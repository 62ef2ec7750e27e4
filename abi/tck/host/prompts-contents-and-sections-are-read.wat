;; Prompts, contents and sections are read.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "json_kind" (func $json_kind (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_body" (func $prompt_body (param i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_propose" (func $prompt_propose (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_open" (func $content_open (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "content_meta" (func $content_meta (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "section_read" (func $section_read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "tonecall 1: want prompt_body \22tone\22 0 = 16call 2: want buf_len 16 = 8tonecall 3: want prompt_body \22tone\22 1 = 17call 4: want buf_len 17 = 16nobodycall 5: want prompt_body \22nobody\22 0 = -1tonecall 6: want prompt_body \22tone\22 2 = -2k7m2q9x4t6b8w3n5call 7: want content_open \22k7m2q9x4t6b8w3n5\22 = 18call 8: want buf_len 18 = 18aaaaaaaaaaaaaaaacall 9: want content_open \22aaaaaaaaaaaaaaaa\22 = -1k7m2q9x4t6b8w3n5call 10: want content_meta \22k7m2q9x4t6b8w3n5\22 = 19/refcall 11: want json_kind 19 \22/ref\22 = 3acall 12: want content_meta \22a\22 = -1k7m2q9x4t6b8w3n5?twocall 13: want section_read \22k7m2q9x4t6b8w3n5\22 \22?two\22 = 20acall 14: want section_read \22a\22 \22\22 = -1{\22name\22:\22n\22,\22content\22:\22c\22}call 15: want prompt_propose \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22content\5c\22:\5c\22c\5c\22}\22 = 21call 16: want buf_len 21 = 9{\22name\22:1,\22name\22:2}call 17: want prompt_propose \22{\5c\22name\5c\22:1,\5c\22name\5c\22:2}\22 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; prompt_body "tone" 0 = 16
    i32.const 131072
    i32.const 4
    i32.const 0
    call $prompt_body
    i32.const 16
    i32.ne
    if
    i32.const 131076
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 8
    i32.const 16
    call $buf_len
    i32.const 8
    i32.ne
    if
    i32.const 131114
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_body "tone" 1 = 17
    i32.const 131141
    i32.const 4
    i32.const 1
    call $prompt_body
    i32.const 17
    i32.ne
    if
    i32.const 131145
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 17 = 16
    i32.const 17
    call $buf_len
    i32.const 16
    i32.ne
    if
    i32.const 131183
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_body "nobody" 0 = -1
    i32.const 131211
    i32.const 6
    i32.const 0
    call $prompt_body
    i32.const -1
    i32.ne
    if
    i32.const 131217
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_body "tone" 2 = -2
    i32.const 131257
    i32.const 4
    i32.const 2
    call $prompt_body
    i32.const -2
    i32.ne
    if
    i32.const 131261
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_open "k7m2q9x4t6b8w3n5" = 18
    i32.const 131299
    i32.const 16
    call $content_open
    i32.const 18
    i32.ne
    if
    i32.const 131315
    i32.const 49
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 18 = 18
    i32.const 18
    call $buf_len
    i32.const 18
    i32.ne
    if
    i32.const 131364
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_open "aaaaaaaaaaaaaaaa" = -1
    i32.const 131392
    i32.const 16
    call $content_open
    i32.const -1
    i32.ne
    if
    i32.const 131408
    i32.const 49
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_meta "k7m2q9x4t6b8w3n5" = 19
    i32.const 131457
    i32.const 16
    call $content_meta
    i32.const 19
    i32.ne
    if
    i32.const 131473
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 19 "/ref" = 3
    i32.const 19
    i32.const 131523
    i32.const 4
    call $json_kind
    i32.const 3
    i32.ne
    if
    i32.const 131527
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; content_meta "a" = -1
    i32.const 131564
    i32.const 1
    call $content_meta
    i32.const -1
    i32.ne
    if
    i32.const 131565
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_read "k7m2q9x4t6b8w3n5" "?two" = 20
    i32.const 131600
    i32.const 16
    i32.const 131616
    i32.const 4
    call $section_read
    i32.const 20
    i32.ne
    if
    i32.const 131620
    i32.const 57
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_read "a" "" = -1
    i32.const 131677
    i32.const 1
    i32.const 131678
    i32.const 0
    call $section_read
    i32.const -1
    i32.ne
    if
    i32.const 131678
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_propose "{\"name\":\"n\",\"content\":\"c\"}" = 21
    i32.const 131716
    i32.const 26
    call $prompt_propose
    i32.const 21
    i32.ne
    if
    i32.const 131742
    i32.const 70
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 21 = 9
    i32.const 21
    call $buf_len
    i32.const 9
    i32.ne
    if
    i32.const 131812
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompt_propose "{\"name\":1,\"name\":2}" = -2
    i32.const 131840
    i32.const 19
    call $prompt_propose
    i32.const -2
    i32.ne
    if
    i32.const 131859
    i32.const 59
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
