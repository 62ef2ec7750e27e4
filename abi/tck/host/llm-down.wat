;; An LLM that is out of order before a request is made.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "available" (func $available (param i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want available 0 = 0call 2: want begin 0 10 0 = -4")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; available 0 = 0
    i32.const 0
    call $available
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 10 0 = -4
    i32.const 0
    i32.const 10
    i32.const 0
    call $begin
    i32.const -4
    i32.ne
    if
    i32.const 131100
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
