;; There are 1,024 marks at most.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "out_index" (func $out_index (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 2: want out_index -1 0 0 = -3")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; 1024 * out_index -1 0 0
    i32.const 1024
    local.set $left
    loop
    i32.const -1
    i32.const 0
    i32.const 0
    call $out_index
    drop
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if 0
    end
    ;; out_index -1 0 0 = -3
    i32.const -1
    i32.const 0
    i32.const 0
    call $out_index
    i32.const -3
    i32.ne
    if
    i32.const 131072
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
