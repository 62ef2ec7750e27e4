;; A virtual tool is a checked definition under a free name.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_hide" (func $tool_hide (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_add" (func $tool_add (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "\0a {\22name\22:\22n\22,\22inputSchema\22:{\22type\22:\22object\22}} call 1: want tool_add \22\5cn {\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{\5c\22type\5c\22:\5c\22object\5c\22}} \22 = 0{\22name\22:\22begin\22,\22inputSchema\22:{}}call 2: want tool_add \22{\5c\22name\5c\22:\5c\22begin\5c\22,\5c\22inputSchema\5c\22:{}}\22 = 0ncall 3: want tool_hide \22n\22 = 0{\22name\22:\22n\22,\22inputSchema\22:{},\22description\22:\22again\22}call 4: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{},\5c\22description\5c\22:\5c\22again\5c\22}\22 = 0{\22name\22:\22files__read\22,\22inputSchema\22:{}}call 5: want tool_add \22{\5c\22name\5c\22:\5c\22files__read\5c\22,\5c\22inputSchema\5c\22:{}}\22 = 0{\22name\22:\22theirs\22,\22inputSchema\22:{}}call 6: want tool_add \22{\5c\22name\5c\22:\5c\22theirs\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -9{\22name\22:\22read_section\22,\22inputSchema\22:{}}call 7: want tool_add \22{\5c\22name\5c\22:\5c\22read_section\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -9{\22name\22:\22a.b\22,\22inputSchema\22:{}}call 8: want tool_add \22{\5c\22name\5c\22:\5c\22a.b\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -2{\22name\22:\22nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\22,\22inputSchema\22:{}}call 9: want tool_add \22{\5c\22name\5c\22:\5c\22nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -2{\22name\22:\22\22,\22inputSchema\22:{}}call 10: want tool_add \22{\5c\22name\5c\22:\5c\22\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -2{\22name\22:\22a\5cn\22,\22inputSchema\22:{}}call 11: want tool_add \22{\5c\22name\5c\22:\5c\22a\5c\5cn\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -2{\22name\22:1,\22inputSchema\22:{}}call 12: want tool_add \22{\5c\22name\5c\22:1,\5c\22inputSchema\5c\22:{}}\22 = -2{\22inputSchema\22:{}}call 13: want tool_add \22{\5c\22inputSchema\5c\22:{}}\22 = -2{\22name\22:\22n\22}call 14: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22}\22 = -2{\22name\22:\22n\22,\22inputSchema\22:\22string\22}call 15: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:\5c\22string\5c\22}\22 = -2{\22name\22:\22n\22,\22inputSchema\22:{\22a\22:1,\22a\22:2}}call 16: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{\5c\22a\5c\22:1,\5c\22a\5c\22:2}}\22 = -2{\22name\22:\22n\22,\22inputSchema\22:{},\22description\22:1}call 17: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{},\5c\22description\5c\22:1}\22 = -2[]call 18: want tool_add \22[]\22 = -2call 19: want tool_add \22\22 = -2{\22name\22:\22n\22,\22inputSchema\22:{\22type\22:\22object\22}}xcall 20: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{\5c\22type\5c\22:\5c\22object\5c\22}}x\22 = -2{\22name\22:\22n\22,\22inputSchema\22:{},\22d\22:\22\ff\22}call 21: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{},\5c\22d\5c\22:\5c\22\5cxff\5c\22}\22 = -2{\22name\22:\22n\22,\22inputSchema\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:{\22a\22:1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}call 22: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c\22a\5c\22:{\5c... = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tools_list") (result i32) (local $left i32)
    ;; tool_add "\n {\"name\":\"n\",\"inputSchema\":{\"type\":\"object\"}} " = 0
    i32.const 131072
    i32.const 47
    call $tool_add
    i32.const 0
    i32.ne
    if
    i32.const 131119
    i32.const 86
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"begin\",\"inputSchema\":{}}" = 0
    i32.const 131205
    i32.const 33
    call $tool_add
    i32.const 0
    i32.ne
    if
    i32.const 131238
    i32.const 67
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_hide "n" = 0
    i32.const 131305
    i32.const 1
    call $tool_hide
    i32.const 0
    i32.ne
    if
    i32.const 131306
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{},\"description\":\"again\"}" = 0
    i32.const 131336
    i32.const 51
    call $tool_add
    i32.const 0
    i32.ne
    if
    i32.const 131387
    i32.const 89
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"files__read\",\"inputSchema\":{}}" = 0
    i32.const 131476
    i32.const 39
    call $tool_add
    i32.const 0
    i32.ne
    if
    i32.const 131515
    i32.const 73
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"theirs\",\"inputSchema\":{}}" = -9
    i32.const 131588
    i32.const 34
    call $tool_add
    i32.const -9
    i32.ne
    if
    i32.const 131622
    i32.const 69
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"read_section\",\"inputSchema\":{}}" = -9
    i32.const 131691
    i32.const 40
    call $tool_add
    i32.const -9
    i32.ne
    if
    i32.const 131731
    i32.const 75
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"a.b\",\"inputSchema\":{}}" = -2
    i32.const 131806
    i32.const 31
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 131837
    i32.const 66
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\",\"inputSchema\":{}}" = -2
    i32.const 131903
    i32.const 77
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 131980
    i32.const 112
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"\",\"inputSchema\":{}}" = -2
    i32.const 132092
    i32.const 28
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132120
    i32.const 64
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"a\\n\",\"inputSchema\":{}}" = -2
    i32.const 132184
    i32.const 31
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132215
    i32.const 68
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":1,\"inputSchema\":{}}" = -2
    i32.const 132283
    i32.const 27
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132310
    i32.const 61
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"inputSchema\":{}}" = -2
    i32.const 132371
    i32.const 18
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132389
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\"}" = -2
    i32.const 132439
    i32.const 12
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132451
    i32.const 46
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":\"string\"}" = -2
    i32.const 132497
    i32.const 35
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132532
    i32.const 73
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{\"a\":1,\"a\":2}}" = -2
    i32.const 132605
    i32.const 40
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132645
    i32.const 80
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{},\"description\":1}" = -2
    i32.const 132725
    i32.const 45
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132770
    i32.const 83
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "[]" = -2
    i32.const 132853
    i32.const 2
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132855
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "" = -2
    i32.const 132887
    i32.const 0
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132887
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{\"type\":\"object\"}}x" = -2
    i32.const 132917
    i32.const 45
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 132962
    i32.const 85
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{},\"d\":\"\xff\"}" = -2
    i32.const 133047
    i32.const 37
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 133084
    i32.const 80
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}" = -2
    i32.const 133164
    i32.const 1228
    call $tool_add
    i32.const -2
    i32.ne
    if
    i32.const 134392
    i32.const 122
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
