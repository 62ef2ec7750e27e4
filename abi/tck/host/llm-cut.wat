;; An answer that is cut is an answer, with a status of its own.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "send" (func $send (param i32) (result i32)))
  (import "mcpctl:llm/v1" "wait" (func $wait (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "status" (func $status (param i32) (result i32)))
  (import "mcpctl:llm/v1" "result" (func $result (param i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want begin 0 10 0 = 1call 2: want send 1 = 0call 3: want wait 1 2000 = 1call 4: want status 1 = 2call 5: want result 1 = 16")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; begin 0 10 0 = 1
    i32.const 0
    i32.const 10
    i32.const 0
    call $begin
    i32.const 1
    i32.ne
    if
    i32.const 131072
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; send 1 = 0
    i32.const 1
    call $send
    i32.const 0
    i32.ne
    if
    i32.const 131101
    i32.const 23
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait 1 2000 = 1
    i32.const 1
    i32.const 2000
    call $wait
    i32.const 1
    i32.ne
    if
    i32.const 131124
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; status 1 = 2
    i32.const 1
    call $status
    i32.const 2
    i32.ne
    if
    i32.const 131152
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; result 1 = 16
    i32.const 1
    call $result
    i32.const 16
    i32.ne
    if
    i32.const 131177
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
