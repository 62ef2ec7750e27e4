;; A call is rewritten to a server's tool, with an object from a span.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "buf_put" (func $buf_put (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "call_rewrite" (func $call_rewrite (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "files/readcall 1: want call_rewrite \22files/read\22 0 6 9 = 0nobodycall 2: want call_rewrite \22nobody\22 0 6 9 = -1begincall 3: want call_rewrite \22begin\22 0 6 9 = -1read_sectioncall 4: want call_rewrite \22read_section\22 0 6 9 = -1files/readcall 5: want call_rewrite \22files/read\22 0 0 3 = -2files/readcall 6: want call_rewrite \22files/read\22 0 10 3 = -2files/readcall 7: want call_rewrite \22files/read\22 99 0 0 = -2files/readcall 8: want call_rewrite \22files/read\22 0 6 99 = -2{\22a\22:1,\22\5cu0061\22:2}call 9: want buf_put \22{\5c\22a\5c\22:1,\5c\22\5c\5cu0061\5c\22:2}\22 = 16files/readcall 10: want call_rewrite \22files/read\22 16 0 -1 = -2{\22p\22:\0a1}call 11: want buf_put \22{\5c\22p\5c\22:\5cn1}\22 = 17files__readcall 12: want call_rewrite \22files__read\22 17 0 -1 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; call_rewrite "files/read" 0 6 9 = 0
    i32.const 131072
    i32.const 10
    i32.const 0
    i32.const 6
    i32.const 9
    call $call_rewrite
    i32.const 0
    i32.ne
    if
    i32.const 131082
    i32.const 48
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "nobody" 0 6 9 = -1
    i32.const 131130
    i32.const 6
    i32.const 0
    i32.const 6
    i32.const 9
    call $call_rewrite
    i32.const -1
    i32.ne
    if
    i32.const 131136
    i32.const 45
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "begin" 0 6 9 = -1
    i32.const 131181
    i32.const 5
    i32.const 0
    i32.const 6
    i32.const 9
    call $call_rewrite
    i32.const -1
    i32.ne
    if
    i32.const 131186
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "read_section" 0 6 9 = -1
    i32.const 131230
    i32.const 12
    i32.const 0
    i32.const 6
    i32.const 9
    call $call_rewrite
    i32.const -1
    i32.ne
    if
    i32.const 131242
    i32.const 51
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files/read" 0 0 3 = -2
    i32.const 131293
    i32.const 10
    i32.const 0
    i32.const 0
    i32.const 3
    call $call_rewrite
    i32.const -2
    i32.ne
    if
    i32.const 131303
    i32.const 49
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files/read" 0 10 3 = -2
    i32.const 131352
    i32.const 10
    i32.const 0
    i32.const 10
    i32.const 3
    call $call_rewrite
    i32.const -2
    i32.ne
    if
    i32.const 131362
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files/read" 99 0 0 = -2
    i32.const 131412
    i32.const 10
    i32.const 99
    i32.const 0
    i32.const 0
    call $call_rewrite
    i32.const -2
    i32.ne
    if
    i32.const 131422
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files/read" 0 6 99 = -2
    i32.const 131472
    i32.const 10
    i32.const 0
    i32.const 6
    i32.const 99
    call $call_rewrite
    i32.const -2
    i32.ne
    if
    i32.const 131482
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_put "{\"a\":1,\"\\u0061\":2}" = 16
    i32.const 131532
    i32.const 18
    call $buf_put
    i32.const 16
    i32.ne
    if
    i32.const 131550
    i32.const 51
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files/read" 16 0 -1 = -2
    i32.const 131601
    i32.const 10
    i32.const 16
    i32.const 0
    i32.const -1
    call $call_rewrite
    i32.const -2
    i32.ne
    if
    i32.const 131611
    i32.const 52
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_put "{\"p\":\n1}" = 17
    i32.const 131663
    i32.const 8
    call $buf_put
    i32.const 17
    i32.ne
    if
    i32.const 131671
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files__read" 17 0 -1 = 0
    i32.const 131711
    i32.const 11
    i32.const 17
    i32.const 0
    i32.const -1
    call $call_rewrite
    i32.const 0
    i32.ne
    if
    i32.const 131722
    i32.const 52
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
