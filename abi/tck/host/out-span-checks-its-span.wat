;; out_span checks its span.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "out_span" (func $out_span (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want out_span 0 1 3 = 0call 2: want out_span 0 1 9 = -2call 3: want out_span 44 0 0 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; out_span 0 1 3 = 0
    i32.const 0
    i32.const 1
    i32.const 3
    call $out_span
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
    ;; out_span 0 1 9 = -2
    i32.const 0
    i32.const 1
    i32.const 9
    call $out_span
    i32.const -2
    i32.ne
    if
    i32.const 131103
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_span 44 0 0 = -2
    i32.const 44
    i32.const 0
    i32.const 0
    call $out_span
    i32.const -2
    i32.ne
    if
    i32.const 131135
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
