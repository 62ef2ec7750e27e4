;; Records hold what is known of prompts: spans of their texts, then numbers and the hash.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "buf_grep" (func $buf_grep (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_records" (func $prompt_records (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want prompt_records = 16\02\00\00\00`\00\00\00call 2: want buf_find 16 0 \22\5cx02\5cx00\5cx00\5cx00\5cx60\5cx00\5cx00\5cx00\22 = 0style\0aHow to write\0aOne\0aTwo\0atone\0a\0acall 3: want buf_find 16 200 \22style\5cnHow to write\5cnOne\5cnTwo\5cntone\5cn\5cn\22 = 200\c8\00\00\00\cd\00\00\00\ce\00\00\00\da\00\00\00\db\00\00\00\e2\00\00\00call 4: want buf_find 16 8 \22\5cxc8\5cx00\5cx00\5cx00\5cxcd\5cx00\5cx00\5cx00\5cxce\5cx00\5cx00\5cx00\5cxda\5cx00\5cx00\5cx00\5cxdb\5cx00\5cx00\5cx00\5cxe2\5cx00\5cx00\5cx00\22 = 8\07\00\00\00\b0\04\00\00\01\00\00\00call 5: want buf_find 16 56 \22\5cx07\5cx00\5cx00\5cx00\5cxb0\5cx04\5cx00\5cx00\5cx01\5cx00\5cx00\5cx00\22 = 56\01\02\03\04\05\06\07\08\09\0a\0b\0c\0d\0e\0f\10\11\12\13\14\15\16\17\18\19\1a\1b\1c\1d\1e\1f call 6: want buf_find 16 72 \22\5cx01\5cx02\5cx03\5cx04\5cx05\5cx06\5cx07\5cx08\5cx09\5cx0a\5cx0b\5cx0c\5cx0d\5cx0e\5cx0f\5cx10\5cx11\5cx12\5cx13\5cx14\5cx15... = 72\e3\00\00\00\e7\00\00\00\e8\00\00\00\e8\00\00\00\e8\00\00\00\e8\00\00\00call 7: want buf_find 16 104 \22\5cxe3\5cx00\5cx00\5cx00\5cxe7\5cx00\5cx00\5cx00\5cxe8\5cx00\5cx00\5cx00\5cxe8\5cx00\5cx00\5cx00\5cxe8\5cx00\5cx00\5cx00\5cxe8\5cx00\5cx00\5cx00\22 = 104\05\00\00\00\08\00\00\00\00\00\00\00call 8: want buf_find 16 152 \22\5cx05\5cx00\5cx00\5cx00\5cx08\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\22 = 152\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00call 9: want buf_find 16 168 \22\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx00\5cx0... = 168files/stylecall 10: want buf_grep 16 233 \22files/style\22 8 0 64 = 1k7m2q9x4t6b8w3n5call 11: want buf_grep 16 233 \22k7m2q9x4t6b8w3n5\22 8 0 64 = 1")
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
    ;; buf_find 16 0 "\x02\x00\x00\x00\x60\x00\x00\x00" = 0
    i32.const 16
    i32.const 0
    i32.const 131104
    i32.const 8
    call $buf_find
    i32.const 0
    i32.ne
    if
    i32.const 131112
    i32.const 65
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 200 "style\nHow to write\nOne\nTwo\ntone\n\n" = 200
    i32.const 16
    i32.const 200
    i32.const 131177
    i32.const 33
    call $buf_find
    i32.const 200
    i32.ne
    if
    i32.const 131210
    i32.const 76
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 8 "\xc8\x00\x00\x00\xcd\x00\x00\x00\xce\x00\x00\x00\xda\x00\x00\x00\xdb\x00\x00\x00\xe2\x00\x00\x00" = 8
    i32.const 16
    i32.const 8
    i32.const 131286
    i32.const 24
    call $buf_find
    i32.const 8
    i32.ne
    if
    i32.const 131310
    i32.const 129
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 56 "\x07\x00\x00\x00\xb0\x04\x00\x00\x01\x00\x00\x00" = 56
    i32.const 16
    i32.const 56
    i32.const 131439
    i32.const 12
    call $buf_find
    i32.const 56
    i32.ne
    if
    i32.const 131451
    i32.const 83
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 72 "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20" = 72
    i32.const 16
    i32.const 72
    i32.const 131534
    i32.const 32
    call $buf_find
    i32.const 72
    i32.ne
    if
    i32.const 131566
    i32.const 121
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 104 "\xe3\x00\x00\x00\xe7\x00\x00\x00\xe8\x00\x00\x00\xe8\x00\x00\x00\xe8\x00\x00\x00\xe8\x00\x00\x00" = 104
    i32.const 16
    i32.const 104
    i32.const 131687
    i32.const 24
    call $buf_find
    i32.const 104
    i32.ne
    if
    i32.const 131711
    i32.const 133
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 152 "\x05\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00" = 152
    i32.const 16
    i32.const 152
    i32.const 131844
    i32.const 12
    call $buf_find
    i32.const 152
    i32.ne
    if
    i32.const 131856
    i32.const 85
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 168 "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" = 168
    i32.const 16
    i32.const 168
    i32.const 131941
    i32.const 32
    call $buf_find
    i32.const 168
    i32.ne
    if
    i32.const 131973
    i32.const 122
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 16 233 "files/style" 8 0 64 = 1
    i32.const 16
    i32.const 233
    i32.const 132095
    i32.const 11
    i32.const 8
    i32.const 0
    i32.const 64
    call $buf_grep
    i32.const 1
    i32.ne
    if
    i32.const 132106
    i32.const 54
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_grep 16 233 "k7m2q9x4t6b8w3n5" 8 0 64 = 1
    i32.const 16
    i32.const 233
    i32.const 132160
    i32.const 16
    i32.const 8
    i32.const 0
    i32.const 64
    call $buf_grep
    i32.const 1
    i32.ne
    if
    i32.const 132176
    i32.const 59
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
