;; 16 notifications in a hook.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "notify" (func $notify (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "notifications/message{}notifications/message{}call 2: want notify \22notifications/message\22 \22{}\22 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; 16 * notify "notifications/message" "{}"
    i32.const 16
    local.set $left
    loop
    i32.const 131072
    i32.const 21
    i32.const 131093
    i32.const 2
    call $notify
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; notify "notifications/message" "{}" = -3
    i32.const 131095
    i32.const 21
    i32.const 131116
    i32.const 2
    call $notify
    i32.const -3
    i32.ne
    if
    i32.const 131118
    i32.const 53
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
