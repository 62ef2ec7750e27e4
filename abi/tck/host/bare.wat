;; A role without a capability is denied, though another role of its module has it.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage"},{"name":"other","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "cache_get" (func $cache_get (param i32 i32) (result i32)))
  (import "mcpctl:core/v1" "cache_set" (func $cache_set (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "available" (func $available (param i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "system" (func $system (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "text" (func $text (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "span" (func $span (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "send" (func $send (param i32) (result i32)))
  (import "mcpctl:llm/v1" "wait" (func $wait (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "status" (func $status (param i32) (result i32)))
  (import "mcpctl:llm/v1" "result" (func $result (param i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want cache_get 0 1 = -5call 2: want cache_set 0 1 0 1 = -5call 3: want available 0 = -5call 4: want begin 0 1 0 = -5call 5: want system 1 0 0 = -5call 6: want text 1 0 0 = -5call 7: want span 1 0 0 0 = -5call 8: want send 1 = -5call 9: want wait -1 0 = -5call 10: want status 1 = -5call 11: want result 1 = -5")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; cache_get 0 1 = -5
    i32.const 0
    i32.const 1
    call $cache_get
    i32.const -5
    i32.ne
    if
    i32.const 131072
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; cache_set 0 1 0 1 = -5
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 1
    call $cache_set
    i32.const -5
    i32.ne
    if
    i32.const 131103
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; available 0 = -5
    i32.const 0
    call $available
    i32.const -5
    i32.ne
    if
    i32.const 131138
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 1 0 = -5
    i32.const 0
    i32.const 1
    i32.const 0
    call $begin
    i32.const -5
    i32.ne
    if
    i32.const 131167
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 1 0 0 = -5
    i32.const 1
    i32.const 0
    i32.const 0
    call $system
    i32.const -5
    i32.ne
    if
    i32.const 131196
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; text 1 0 0 = -5
    i32.const 1
    i32.const 0
    i32.const 0
    call $text
    i32.const -5
    i32.ne
    if
    i32.const 131226
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 1 0 0 0 = -5
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    call $span
    i32.const -5
    i32.ne
    if
    i32.const 131254
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; send 1 = -5
    i32.const 1
    call $send
    i32.const -5
    i32.ne
    if
    i32.const 131284
    i32.const 24
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait -1 0 = -5
    i32.const -1
    i32.const 0
    call $wait
    i32.const -5
    i32.ne
    if
    i32.const 131308
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; status 1 = -5
    i32.const 1
    call $status
    i32.const -5
    i32.ne
    if
    i32.const 131335
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; result 1 = -5
    i32.const 1
    call $result
    i32.const -5
    i32.ne
    if
    i32.const 131362
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
