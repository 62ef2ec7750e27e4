;; Output is bounded, by the limit that the context tells.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "out_write" (func $out_write (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want out_write 0 60 = 0call 2: want out_write 0 41 = -3call 3: want out_span 0 0 10 = 0call 4: want out_write 0 31 = -3call 5: want out_write 0 30 = 0call 6: want out_span 0 0 1 = -3call 7: want out_span 0 5 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; out_write 0 60 = 0
    i32.const 0
    i32.const 60
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write 0 41 = -3
    i32.const 0
    i32.const 41
    call $out_write
    i32.const -3
    i32.ne
    if
    i32.const 131103
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 0 10 = 0
    i32.const 0
    i32.const 0
    i32.const 10
    call $out_span
    i32.const 0
    i32.ne
    if
    i32.const 131135
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write 0 31 = -3
    i32.const 0
    i32.const 31
    call $out_write
    i32.const -3
    i32.ne
    if
    i32.const 131167
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_write 0 30 = 0
    i32.const 0
    i32.const 30
    call $out_write
    i32.const 0
    i32.ne
    if
    i32.const 131199
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 0 1 = -3
    i32.const 0
    i32.const 0
    i32.const 1
    call $out_span
    i32.const -3
    i32.ne
    if
    i32.const 131230
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 0 5 0 = 0
    i32.const 0
    i32.const 5
    i32.const 0
    call $out_span
    i32.const 0
    i32.ne
    if
    i32.const 131262
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
