;; State is read back at once; a key has 1 to 256 bytes.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_get" (func $state_get (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_set" (func $state_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "state_del" (func $state_del (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\ff")
  (data (i32.const 131072) "kcall 1: want state_get \22k\22 = -1kabccall 2: want state_set \22k\22 \22abc\22 = 0kcall 3: want state_get \22k\22 = 16call 4: want buf_len 16 = 3kcall 5: want state_set \22k\22 \22\22 = 0kcall 6: want state_get \22k\22 = 17call 7: want buf_len 17 = 0kcall 8: want state_del \22k\22 = 0kcall 9: want state_del \22k\22 = -1kcall 10: want state_get \22k\22 = -1vcall 11: want state_set \22\22 \22v\22 = -2call 12: want state_set 0 1 0 0 = -2call 13: want state_set 1000 256 0 0 = 0call 14: want state_set 1000 257 0 0 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32) (local $left i32)
    ;; state_get "k" = -1
    i32.const 131072
    i32.const 1
    call $state_get
    i32.const -1
    i32.ne
    if
    i32.const 131073
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set "k" "abc" = 0
    i32.const 131104
    i32.const 1
    i32.const 131105
    i32.const 3
    call $state_set
    i32.const 0
    i32.ne
    if
    i32.const 131108
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_get "k" = 16
    i32.const 131144
    i32.const 1
    call $state_get
    i32.const 16
    i32.ne
    if
    i32.const 131145
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 3
    i32.const 16
    call $buf_len
    i32.const 3
    i32.ne
    if
    i32.const 131176
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set "k" "" = 0
    i32.const 131203
    i32.const 1
    i32.const 131204
    i32.const 0
    call $state_set
    i32.const 0
    i32.ne
    if
    i32.const 131204
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_get "k" = 17
    i32.const 131237
    i32.const 1
    call $state_get
    i32.const 17
    i32.ne
    if
    i32.const 131238
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 17 = 0
    i32.const 17
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131269
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_del "k" = 0
    i32.const 131296
    i32.const 1
    call $state_del
    i32.const 0
    i32.ne
    if
    i32.const 131297
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_del "k" = -1
    i32.const 131327
    i32.const 1
    call $state_del
    i32.const -1
    i32.ne
    if
    i32.const 131328
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_get "k" = -1
    i32.const 131359
    i32.const 1
    call $state_get
    i32.const -1
    i32.ne
    if
    i32.const 131360
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set "" "v" = -2
    i32.const 131392
    i32.const 0
    i32.const 131392
    i32.const 1
    call $state_set
    i32.const -2
    i32.ne
    if
    i32.const 131393
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set 0 1 0 0 = -2
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $state_set
    i32.const -2
    i32.ne
    if
    i32.const 131428
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set 1000 256 0 0 = 0
    i32.const 1000
    i32.const 256
    i32.const 0
    i32.const 0
    call $state_set
    i32.const 0
    i32.ne
    if
    i32.const 131464
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; state_set 1000 257 0 0 = -3
    i32.const 1000
    i32.const 257
    i32.const 0
    i32.const 0
    call $state_set
    i32.const -3
    i32.ne
    if
    i32.const 131504
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
