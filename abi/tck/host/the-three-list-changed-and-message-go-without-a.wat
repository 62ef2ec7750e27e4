;; The three list_changed and message go without a grant.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "notify" (func $notify (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "notifications/tools/list_changedcall 1: want notify \22notifications/tools/list_changed\22 \22\22 = 0notifications/prompts/list_changed{}call 2: want notify \22notifications/prompts/list_changed\22 \22{}\22 = 0notifications/resources/list_changedcall 3: want notify \22notifications/resources/list_changed\22 \22\22 = 0notifications/message{\22level\22:\22info\22,\0d\0a\22data\22:1}call 4: want notify \22notifications/message\22 \22{\5c\22level\5c\22:\5c\22info\5c\22,\5cr\5cn\5c\22data\5c\22:1}\22 = 0notifications/cancelledcall 5: want notify \22notifications/cancelled\22 \22\22 = -5tools/call{}call 6: want notify \22tools/call\22 \22{}\22 = -5call 7: want notify \22\22 \22\22 = -5notifications/message[]call 8: want notify \22notifications/message\22 \22[]\22 = -2notifications/message{call 9: want notify \22notifications/message\22 \22{\22 = -2notifications/message{\22a\22:1,\22a\22:1}call 10: want notify \22notifications/message\22 \22{\5c\22a\5c\22:1,\5c\22a\5c\22:1}\22 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; notify "notifications/tools/list_changed" "" = 0
    i32.const 131072
    i32.const 32
    i32.const 131104
    i32.const 0
    call $notify
    i32.const 0
    i32.ne
    if
    i32.const 131104
    i32.const 61
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/prompts/list_changed" "{}" = 0
    i32.const 131165
    i32.const 34
    i32.const 131199
    i32.const 2
    call $notify
    i32.const 0
    i32.ne
    if
    i32.const 131201
    i32.const 65
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/resources/list_changed" "" = 0
    i32.const 131266
    i32.const 36
    i32.const 131302
    i32.const 0
    call $notify
    i32.const 0
    i32.ne
    if
    i32.const 131302
    i32.const 65
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/message" "{\"level\":\"info\",\r\n\"data\":1}" = 0
    i32.const 131367
    i32.const 21
    i32.const 131388
    i32.const 27
    call $notify
    i32.const 0
    i32.ne
    if
    i32.const 131415
    i32.const 85
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/cancelled" "" = -5
    i32.const 131500
    i32.const 23
    i32.const 131523
    i32.const 0
    call $notify
    i32.const -5
    i32.ne
    if
    i32.const 131523
    i32.const 53
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "tools/call" "{}" = -5
    i32.const 131576
    i32.const 10
    i32.const 131586
    i32.const 2
    call $notify
    i32.const -5
    i32.ne
    if
    i32.const 131588
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "" "" = -5
    i32.const 131630
    i32.const 0
    i32.const 131630
    i32.const 0
    call $notify
    i32.const -5
    i32.ne
    if
    i32.const 131630
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/message" "[]" = -2
    i32.const 131660
    i32.const 21
    i32.const 131681
    i32.const 2
    call $notify
    i32.const -2
    i32.ne
    if
    i32.const 131683
    i32.const 53
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/message" "{" = -2
    i32.const 131736
    i32.const 21
    i32.const 131757
    i32.const 1
    call $notify
    i32.const -2
    i32.ne
    if
    i32.const 131758
    i32.const 52
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; notify "notifications/message" "{\"a\":1,\"a\":1}" = -2
    i32.const 131810
    i32.const 21
    i32.const 131831
    i32.const 13
    call $notify
    i32.const -2
    i32.ne
    if
    i32.const 131844
    i32.const 69
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
