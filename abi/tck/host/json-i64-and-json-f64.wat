;; json_i64 and json_f64.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "json_i64" (func $json_i64 (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "json_f64" (func $json_f64 (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "/0/1/2/3/4/5/6")
  (data (i32.const 131072) "call 1: want json_i64 0 0 2 100 = 0call 2: want json_i64 0 2 2 100 = -2call 3: want json_i64 0 4 2 100 = 0call 4: want json_i64 0 6 2 100 = -2call 5: want json_i64 0 12 2 100 = -1call 6: want json_f64 0 2 2 100 = 0call 7: want json_f64 0 4 2 100 = 0call 8: want json_f64 0 8 2 100 = -2call 9: want json_f64 0 10 2 100 = -2call 10: want json_f64 0 12 2 100 = -1")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; json_i64 0 0 2 100 = 0
    i32.const 0
    i32.const 0
    i32.const 2
    i32.const 100
    call $json_i64
    i32.const 0
    i32.ne
    if
    i32.const 131072
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_i64 0 2 2 100 = -2
    i32.const 0
    i32.const 2
    i32.const 2
    i32.const 100
    call $json_i64
    i32.const -2
    i32.ne
    if
    i32.const 131107
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_i64 0 4 2 100 = 0
    i32.const 0
    i32.const 4
    i32.const 2
    i32.const 100
    call $json_i64
    i32.const 0
    i32.ne
    if
    i32.const 131143
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_i64 0 6 2 100 = -2
    i32.const 0
    i32.const 6
    i32.const 2
    i32.const 100
    call $json_i64
    i32.const -2
    i32.ne
    if
    i32.const 131178
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_i64 0 12 2 100 = -1
    i32.const 0
    i32.const 12
    i32.const 2
    i32.const 100
    call $json_i64
    i32.const -1
    i32.ne
    if
    i32.const 131214
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_f64 0 2 2 100 = 0
    i32.const 0
    i32.const 2
    i32.const 2
    i32.const 100
    call $json_f64
    i32.const 0
    i32.ne
    if
    i32.const 131251
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_f64 0 4 2 100 = 0
    i32.const 0
    i32.const 4
    i32.const 2
    i32.const 100
    call $json_f64
    i32.const 0
    i32.ne
    if
    i32.const 131286
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_f64 0 8 2 100 = -2
    i32.const 0
    i32.const 8
    i32.const 2
    i32.const 100
    call $json_f64
    i32.const -2
    i32.ne
    if
    i32.const 131321
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_f64 0 10 2 100 = -2
    i32.const 0
    i32.const 10
    i32.const 2
    i32.const 100
    call $json_f64
    i32.const -2
    i32.ne
    if
    i32.const 131357
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; json_f64 0 12 2 100 = -1
    i32.const 0
    i32.const 12
    i32.const 2
    i32.const 100
    call $json_f64
    i32.const -1
    i32.ne
    if
    i32.const 131394
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
