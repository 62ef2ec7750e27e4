;; The list is edited by label or wire name.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_hide" (func $tool_hide (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_patch" (func $tool_patch (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "files/readcall 1: want tool_hide \22files/read\22 = 0files/readcall 2: want tool_hide \22files/read\22 = 0read_sectioncall 3: want tool_hide \22read_section\22 = 0nobodycall 4: want tool_hide \22nobody\22 = -1files__read{\22outputSchema\22:null}call 5: want tool_patch \22files__read\22 \22{\5c\22outputSchema\5c\22:null}\22 = 0nobody{}call 6: want tool_patch \22nobody\22 \22{}\22 = -1begin[]call 7: want tool_patch \22begin\22 \22[]\22 = -2begin{\22name\22:\22x\22}call 8: want tool_patch \22begin\22 \22{\5c\22name\5c\22:\5c\22x\5c\22}\22 = -2begin{\22a\22:1,\22a\22:2}call 9: want tool_patch \22begin\22 \22{\5c\22a\5c\22:1,\5c\22a\5c\22:2}\22 = -2begin{\22n\5cu0061me\22:null}call 10: want tool_patch \22begin\22 \22{\5c\22n\5c\5cu0061me\5c\22:null}\22 = -2begin{\22inputSchema\22:null}call 11: want tool_patch \22begin\22 \22{\5c\22inputSchema\5c\22:null}\22 = -2begin{\0a}call 12: want tool_patch \22begin\22 \22{\5cn}\22 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tools_list") (result i32) (local $left i32)
    ;; tool_hide "files/read" = 0
    i32.const 131072
    i32.const 10
    call $tool_hide
    i32.const 0
    i32.ne
    if
    i32.const 131082
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_hide "files/read" = 0
    i32.const 131121
    i32.const 10
    call $tool_hide
    i32.const 0
    i32.ne
    if
    i32.const 131131
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_hide "read_section" = 0
    i32.const 131170
    i32.const 12
    call $tool_hide
    i32.const 0
    i32.ne
    if
    i32.const 131182
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_hide "nobody" = -1
    i32.const 131223
    i32.const 6
    call $tool_hide
    i32.const -1
    i32.ne
    if
    i32.const 131229
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "files__read" "{\"outputSchema\":null}" = 0
    i32.const 131265
    i32.const 11
    i32.const 131276
    i32.const 21
    call $tool_patch
    i32.const 0
    i32.ne
    if
    i32.const 131297
    i32.const 67
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "nobody" "{}" = -1
    i32.const 131364
    i32.const 6
    i32.const 131370
    i32.const 2
    call $tool_patch
    i32.const -1
    i32.ne
    if
    i32.const 131372
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "[]" = -2
    i32.const 131414
    i32.const 5
    i32.const 131419
    i32.const 2
    call $tool_patch
    i32.const -2
    i32.ne
    if
    i32.const 131421
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "{\"name\":\"x\"}" = -2
    i32.const 131462
    i32.const 5
    i32.const 131467
    i32.const 12
    call $tool_patch
    i32.const -2
    i32.ne
    if
    i32.const 131479
    i32.const 55
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "{\"a\":1,\"a\":2}" = -2
    i32.const 131534
    i32.const 5
    i32.const 131539
    i32.const 13
    call $tool_patch
    i32.const -2
    i32.ne
    if
    i32.const 131552
    i32.const 56
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "{\"n\\u0061me\":null}" = -2
    i32.const 131608
    i32.const 5
    i32.const 131613
    i32.const 18
    call $tool_patch
    i32.const -2
    i32.ne
    if
    i32.const 131631
    i32.const 61
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "{\"inputSchema\":null}" = -2
    i32.const 131692
    i32.const 5
    i32.const 131697
    i32.const 20
    call $tool_patch
    i32.const -2
    i32.ne
    if
    i32.const 131717
    i32.const 62
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "{\n}" = 0
    i32.const 131779
    i32.const 5
    i32.const 131784
    i32.const 3
    call $tool_patch
    i32.const 0
    i32.ne
    if
    i32.const 131787
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
