;; 16 blocks in a hook; with one too many the hook fails, whatever it returns.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "out_to" (func $out_to (param i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 2: want out_to 2 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; 16 * out_to 1
    i32.const 16
    local.set $left
    loop
    i32.const 1
    call $out_to
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; out_to 2 = -3
    i32.const 2
    call $out_to
    i32.const -3
    i32.ne
    if
    i32.const 131072
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
