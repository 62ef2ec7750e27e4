;; sections_add does for each record what section_add and section_id do, of all or of none.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "section_text" (func $section_text (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "last_error" (func $last_error (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\ff\ff\ff\ff\00\00\00\00\04\00\00\00\01\00\00\00\02\00\00\00\00\00\00\00\01\00\00\00\03\00\00\00\00\00\00\00\00\00\00\00\ff\ff\ff\ff\00\00\00\00\00\00\00\00\02\00\00\00\01\00\00\00\02\00\00\00\04\00\00\00\09\00\00\00\00\00\00\00\01\00\00\00\ff\ff\ff\ff\03\00\00\00\09\00\00\00\00\00\00\00\00\00\00\00aAA@gGx\ff\ff\ff\ff\04\00\00\00\06\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\05\00\00\00\07\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 131072) "call 1: want sections_add 1 0 100 100 7 = -2call 2: want last_error = 16record 4call 3: want buf_find 16 0 \22record 4\22 = 0call 4: want buf_len 5 = 0call 5: want sections_add 1 0 80 100 7 = 0call 6: want buf_len 5 = 128call 7: want section_text 0 0 = 17call 8: want buf_len 17 = 1call 9: want section_text 0 1 = 18call 10: want buf_len 18 = 2call 11: want section_text 1 0 = 19call 12: want buf_len 19 = 0call 13: want section_text 2 0 = 20gcall 14: want buf_find 20 0 \22g\22 = 3call 15: want section_text 2 3 = 21call 16: want buf_len 21 = 0call 17: want section_text 3 1 = 22xcall 18: want buf_find 22 0 \22x\22 = 0call 19: want section_text 3 3 = 2345678call 20: want buf_find 23 0 \2245678\22 = 0call 21: want sections_add 1 0 0 0 0 = 4call 22: want sections_add 1 0 19 100 7 = -2call 23: want sections_add 1 20 20 100 1 = -2call 24: want sections_add 1 40 20 100 2 = -2call 25: want sections_add 44 40 20 102 3 = -2call 26: want sections_add -1 20 20 0 0 = -2call 27: want sections_add 1 107 40 0 1 = -2call 28: want buf_len 5 = 128call 29: want section_add -1 1 9 10 0 0 = 4call 30: want sections_add -1 40 20 102 3 = 5")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; sections_add 1 0 100 100 7 = -2
    i32.const 1
    i32.const 0
    i32.const 100
    i32.const 100
    i32.const 7
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131072
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; last_error = 16
    call $last_error
    i32.const 16
    i32.ne
    if
    i32.const 131116
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 16 0 "record 4" = 0
    i32.const 16
    i32.const 0
    i32.const 131144
    i32.const 8
    call $buf_find
    i32.const 0
    i32.ne
    if
    i32.const 131152
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 0
    i32.const 5
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131193
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 0 80 100 7 = 0
    i32.const 1
    i32.const 0
    i32.const 80
    i32.const 100
    i32.const 7
    call $sections_add
    i32.const 0
    i32.ne
    if
    i32.const 131219
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 128
    i32.const 5
    call $buf_len
    i32.const 128
    i32.ne
    if
    i32.const 131261
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 0 = 17
    i32.const 0
    i32.const 0
    call $section_text
    i32.const 17
    i32.ne
    if
    i32.const 131289
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 17 = 1
    i32.const 17
    call $buf_len
    i32.const 1
    i32.ne
    if
    i32.const 131323
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 0 1 = 18
    i32.const 0
    i32.const 1
    call $section_text
    i32.const 18
    i32.ne
    if
    i32.const 131350
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 18 = 2
    i32.const 18
    call $buf_len
    i32.const 2
    i32.ne
    if
    i32.const 131384
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 1 0 = 19
    i32.const 1
    i32.const 0
    call $section_text
    i32.const 19
    i32.ne
    if
    i32.const 131412
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 19 = 0
    i32.const 19
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131447
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 2 0 = 20
    i32.const 2
    i32.const 0
    call $section_text
    i32.const 20
    i32.ne
    if
    i32.const 131475
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 20 0 "g" = 3
    i32.const 20
    i32.const 0
    i32.const 131510
    i32.const 1
    call $buf_find
    i32.const 3
    i32.ne
    if
    i32.const 131511
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 2 3 = 21
    i32.const 2
    i32.const 3
    call $section_text
    i32.const 21
    i32.ne
    if
    i32.const 131546
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 21 = 0
    i32.const 21
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131581
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 3 1 = 22
    i32.const 3
    i32.const 1
    call $section_text
    i32.const 22
    i32.ne
    if
    i32.const 131609
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 22 0 "x" = 0
    i32.const 22
    i32.const 0
    i32.const 131644
    i32.const 1
    call $buf_find
    i32.const 0
    i32.ne
    if
    i32.const 131645
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_text 3 3 = 23
    i32.const 3
    i32.const 3
    call $section_text
    i32.const 23
    i32.ne
    if
    i32.const 131680
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 23 0 "45678" = 0
    i32.const 23
    i32.const 0
    i32.const 131715
    i32.const 5
    call $buf_find
    i32.const 0
    i32.ne
    if
    i32.const 131720
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 0 0 0 0 = 4
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const 4
    i32.ne
    if
    i32.const 131759
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 0 19 100 7 = -2
    i32.const 1
    i32.const 0
    i32.const 19
    i32.const 100
    i32.const 7
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131799
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 20 20 100 1 = -2
    i32.const 1
    i32.const 20
    i32.const 20
    i32.const 100
    i32.const 1
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131843
    i32.const 45
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 40 20 100 2 = -2
    i32.const 1
    i32.const 40
    i32.const 20
    i32.const 100
    i32.const 2
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131888
    i32.const 45
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 44 40 20 102 3 = -2
    i32.const 44
    i32.const 40
    i32.const 20
    i32.const 102
    i32.const 3
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131933
    i32.const 46
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add -1 20 20 0 0 = -2
    i32.const -1
    i32.const 20
    i32.const 20
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 131979
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 107 40 0 1 = -2
    i32.const 1
    i32.const 107
    i32.const 40
    i32.const 0
    i32.const 1
    call $sections_add
    i32.const -2
    i32.ne
    if
    i32.const 132023
    i32.const 44
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 5 = 128
    i32.const 5
    call $buf_len
    i32.const 128
    i32.ne
    if
    i32.const 132067
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 9 10 0 0 = 4
    i32.const -1
    i32.const 1
    i32.const 9
    i32.const 10
    i32.const 0
    i32.const 0
    call $section_add
    i32.const 4
    i32.ne
    if
    i32.const 132096
    i32.const 43
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add -1 40 20 102 3 = 5
    i32.const -1
    i32.const 40
    i32.const 20
    i32.const 102
    i32.const 3
    call $sections_add
    i32.const 5
    i32.ne
    if
    i32.const 132139
    i32.const 45
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
