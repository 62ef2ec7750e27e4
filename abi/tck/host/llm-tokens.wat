;; 100,000 tokens in a call, those of the answers included.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "send" (func $send (param i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want begin 0 100000 0 = 1call 2: want send 1 = 0call 3: want begin 0 1 0 = 2call 4: want send 2 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; begin 0 100000 0 = 1
    i32.const 0
    i32.const 100000
    i32.const 0
    call $begin
    i32.const 1
    i32.ne
    if
    i32.const 131072
    i32.const 33
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
    i32.const 131105
    i32.const 23
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 1 0 = 2
    i32.const 0
    i32.const 1
    i32.const 0
    call $begin
    i32.const 2
    i32.ne
    if
    i32.const 131128
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; send 2 = -3
    i32.const 2
    call $send
    i32.const -3
    i32.ne
    if
    i32.const 131156
    i32.const 24
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
