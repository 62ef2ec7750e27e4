;; Tools and servers are read as JSON.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "json_kind" (func $json_kind (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "json_each" (func $json_each (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tools" (func $tools (result i32)))
  (import "mcpctl:session/v1" "servers" (func $servers (result i32)))
  (import "mcpctl:session/v1" "prompts" (func $prompts (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want tools = 16call 2: want json_each 16 \22\22 0 0 0 = 4/1/owncall 3: want json_kind 16 \22/1/own\22 = 1call 4: want servers = 17call 5: want json_each 17 \22\22 0 0 0 = 1call 6: want prompts = 18call 7: want json_each 18 \22\22 0 0 0 = 1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_tool_call") (result i32) (local $left i32)
    ;; tools = 16
    call $tools
    i32.const 16
    i32.ne
    if
    i32.const 131072
    i32.const 23
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 16 "" 0 0 0 = 4
    i32.const 16
    i32.const 131095
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $json_each
    i32.const 4
    i32.ne
    if
    i32.const 131095
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 16 "/1/own" = 1
    i32.const 16
    i32.const 131133
    i32.const 6
    call $json_kind
    i32.const 1
    i32.ne
    if
    i32.const 131139
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; servers = 17
    call $servers
    i32.const 17
    i32.ne
    if
    i32.const 131177
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 17 "" 0 0 0 = 1
    i32.const 17
    i32.const 131202
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $json_each
    i32.const 1
    i32.ne
    if
    i32.const 131202
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; prompts = 18
    call $prompts
    i32.const 18
    i32.ne
    if
    i32.const 131240
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_each 18 "" 0 0 0 = 1
    i32.const 18
    i32.const 131265
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $json_each
    i32.const 1
    i32.ne
    if
    i32.const 131265
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
