;; What the host cannot do is a code of the same meaning: conflict.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "prompt_propose" (func $prompt_propose (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "{}call 1: want prompt_propose \22{}\22 = -9")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; prompt_propose "{}" = -9
    i32.const 131072
    i32.const 2
    call $prompt_propose
    i32.const -9
    i32.ne
    if
    i32.const 131074
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
