;; Positions in an array have one spelling.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "json_kind" (func $json_kind (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "/1/0/01/-/2/1/0/0")
  (data (i32.const 131072) "call 1: want json_kind 0 0 2 = 4call 2: want json_kind 0 0 4 = 2call 3: want json_kind 0 4 3 = -1call 4: want json_kind 0 7 2 = -1call 5: want json_kind 0 9 2 = -1call 6: want json_kind 0 11 6 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_kind 0 0 2 = 4
    i32.const 0
    i32.const 0
    i32.const 2
    call $json_kind
    i32.const 4
    i32.ne
    if
    i32.const 131072
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 0 0 4 = 2
    i32.const 0
    i32.const 0
    i32.const 4
    call $json_kind
    i32.const 2
    i32.ne
    if
    i32.const 131104
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 0 4 3 = -1
    i32.const 0
    i32.const 4
    i32.const 3
    call $json_kind
    i32.const -1
    i32.ne
    if
    i32.const 131136
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 0 7 2 = -1
    i32.const 0
    i32.const 7
    i32.const 2
    call $json_kind
    i32.const -1
    i32.ne
    if
    i32.const 131169
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 0 9 2 = -1
    i32.const 0
    i32.const 9
    i32.const 2
    call $json_kind
    i32.const -1
    i32.ne
    if
    i32.const 131202
    i32.const 33
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 0 11 6 = -1
    i32.const 0
    i32.const 11
    i32.const 6
    call $json_kind
    i32.const -1
    i32.ne
    if
    i32.const 131235
    i32.const 34
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
