;; A stage with the capability reads the arguments of the call.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.2","roles":[{"name":"check","kind":"stage","capabilities":["arguments"]},{"name":"other","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "buf_find" (func $buf_find (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "json_kind" (func $json_kind (param i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "call 1: want buf_len 8 = 49bluecall 2: want buf_find 8 0 \22blue\22 = 42/_questioncall 3: want json_kind 8 \22/_question\22 = 3/querycall 4: want json_kind 8 \22/query\22 = 3/limitcall 5: want json_kind 8 \22/limit\22 = -1call 6: want buf_len 9 = 0")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; buf_len 8 = 49
    i32.const 8
    call $buf_len
    i32.const 49
    i32.ne
    if
    i32.const 131072
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_find 8 0 "blue" = 42
    i32.const 8
    i32.const 0
    i32.const 131099
    i32.const 4
    call $buf_find
    i32.const 42
    i32.ne
    if
    i32.const 131103
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 8 "/_question" = 3
    i32.const 8
    i32.const 131140
    i32.const 10
    call $json_kind
    i32.const 3
    i32.ne
    if
    i32.const 131150
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 8 "/query" = 3
    i32.const 8
    i32.const 131191
    i32.const 6
    call $json_kind
    i32.const 3
    i32.ne
    if
    i32.const 131197
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_kind 8 "/limit" = -1
    i32.const 8
    i32.const 131234
    i32.const 6
    call $json_kind
    i32.const -1
    i32.ne
    if
    i32.const 131240
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 9 = 0
    i32.const 9
    call $buf_len
    i32.const 0
    i32.ne
    if
    i32.const 131278
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
