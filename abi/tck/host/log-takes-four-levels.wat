;; Log takes four levels.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "line")
  (data (i32.const 131072) "call 1: want log 0 0 4 = 0call 2: want log 3 0 4 = 0call 3: want log 4 0 4 = -2call 4: want log -1 0 4 = -2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; log 0 0 4 = 0
    i32.const 0
    i32.const 0
    i32.const 4
    call $log
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; log 3 0 4 = 0
    i32.const 3
    i32.const 0
    i32.const 4
    call $log
    i32.const 0
    i32.ne
    if
    i32.const 131098
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; log 4 0 4 = -2
    i32.const 4
    i32.const 0
    i32.const 4
    call $log
    i32.const -2
    i32.ne
    if
    i32.const 131124
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; log -1 0 4 = -2
    i32.const -1
    i32.const 0
    i32.const 4
    call $log
    i32.const -2
    i32.ne
    if
    i32.const 131151
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
