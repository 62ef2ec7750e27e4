;; Output goes to the answer or to a block.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "out_write" (func $out_write (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "out_to" (func $out_to (param i32) (result i32)))
  (import "mcpctl:session/v1" "out_kind" (func $out_kind (param i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "acall 1: want out_write \22a\22 = 0call 2: want out_to 1 = 0b1call 3: want out_write \22b1\22 = 0call 4: want out_span 0 0 -1 = 0call 5: want out_to 2 = 0call 6: want out_to 1 = 0b2call 7: want out_write \22b2\22 = 0call 8: want out_to 2 = 0aftercall 9: want out_write \22after\22 = 0call 10: want out_to 0 = 0zcall 11: want out_write \22z\22 = 0call 12: want out_to 3 = -2call 13: want out_to -1 = -2call 14: want out_kind 6 = 0call 15: want out_kind 8 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; out_write "a" = 0
    i32.const 131072
    i32.const 1
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131073
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 1 = 0
    i32.const 1
    call $out_to
    i32.const 0
    i32.ne
    if
    i32.const 131103
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write "b1" = 0
    i32.const 131128
    i32.const 2
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131130
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 0 -1 = 0
    i32.const 0
    i32.const 0
    i32.const -1
    call $out_span
    i32.const 0
    i32.ne
    if
    i32.const 131161
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 2 = 0
    i32.const 2
    call $out_to
    i32.const 0
    i32.ne
    if
    i32.const 131193
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 1 = 0
    i32.const 1
    call $out_to
    i32.const 0
    i32.ne
    if
    i32.const 131218
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write "b2" = 0
    i32.const 131243
    i32.const 2
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131245
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 2 = 0
    i32.const 2
    call $out_to
    i32.const 0
    i32.ne
    if
    i32.const 131276
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write "after" = 0
    i32.const 131301
    i32.const 5
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131306
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 0 = 0
    i32.const 0
    call $out_to
    i32.const 0
    i32.ne
    if
    i32.const 131340
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write "z" = 0
    i32.const 131366
    i32.const 1
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131367
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 3 = -2
    i32.const 3
    call $out_to
    i32.const -2
    i32.ne
    if
    i32.const 131398
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to -1 = -2
    i32.const -1
    call $out_to
    i32.const -2
    i32.ne
    if
    i32.const 131425
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_kind 6 = 0
    i32.const 6
    call $out_kind
    i32.const 0
    i32.ne
    if
    i32.const 131453
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_kind 8 = -2
    i32.const 8
    call $out_kind
    i32.const -2
    i32.ne
    if
    i32.const 131481
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
