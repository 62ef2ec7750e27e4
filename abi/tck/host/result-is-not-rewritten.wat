;; A call that was made is rewritten no more; blocks may still be added, 16 of them.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "out_to" (func $out_to (param i32) (result i32)))
  (import "mcpctl:session/v1" "out_kind" (func $out_kind (param i32) (result i32)))
  (import "mcpctl:session/v1" "call_rewrite" (func $call_rewrite (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "files/readcall 1: want call_rewrite \22files/read\22 0 0 -1 = -8call 2: want out_kind 2 = 0call 3: want out_to 1 = 0call 4: want out_to 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_result") (result i32) (local $left i32)
    ;; call_rewrite "files/read" 0 0 -1 = -8
    i32.const 131072
    i32.const 10
    i32.const 0
    i32.const 0
    i32.const -1
    call $call_rewrite
    i32.const -8
    i32.ne
    if
    i32.const 131082
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_kind 2 = 0
    i32.const 2
    call $out_kind
    i32.const 0
    i32.ne
    if
    i32.const 131132
    i32.const 27
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
    i32.const 131159
    i32.const 25
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
    i32.const 131184
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
