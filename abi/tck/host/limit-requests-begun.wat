;; 1,024 requests may be begun in a call.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 2: want begin 0 1 0 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; 1024 * begin 0 1 0
    i32.const 1024
    local.set $left
    loop
    i32.const 0
    i32.const 1
    i32.const 0
    call $begin
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; begin 0 1 0 = -3
    i32.const 0
    i32.const 1
    i32.const 0
    call $begin
    i32.const -3
    i32.ne
    if
    i32.const 131072
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
