;; Texts that end outside memory end the guest, although the records want none of them.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want sections_add 1 0 0 0 0 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; sections_add 1 0 0 0 0 = 0
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 39
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; 2 * sections_add 1 0 0 0 -1
    i32.const 2
    local.set $left
    loop
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const -1
    call $sections_add
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    i32.const 1)) ;; PASS
