;; The parts of a request are bounded: 4,096 here.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "system" (func $system (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "text" (func $text (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "span" (func $span (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want begin 0 10 0 = 1xxcall 3: want text 1 \22x\22 = -3call 4: want span 1 0 0 1 = -3xcall 5: want system 1 \22x\22 = -3")
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
    ;; 4096 * text 1 "x"
    i32.const 4096
    local.set $left
    loop
    i32.const 1
    i32.const 131101
    i32.const 1
    call $text
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; text 1 "x" = -3
    i32.const 1
    i32.const 131102
    i32.const 1
    call $text
    i32.const -3
    i32.ne
    if
    i32.const 131103
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 1 0 0 1 = -3
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 1
    call $span
    i32.const -3
    i32.ne
    if
    i32.const 131131
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 1 "x" = -3
    i32.const 1
    i32.const 131161
    i32.const 1
    call $system
    i32.const -3
    i32.ne
    if
    i32.const 131162
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
