;; A request from its beginning to its answer; what is sent is sent.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"stage","capabilities":["cache","llm"]},{"name":"steer","kind":"controller","capabilities":["session"]}]}
(module
  (import "mcpctl:core/v1" "buf_len" (func $buf_len (param i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "available" (func $available (param i32) (result i32)))
  (import "mcpctl:llm/v1" "begin" (func $begin (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "system" (func $system (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "text" (func $text (param i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "span" (func $span (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "send" (func $send (param i32) (result i32)))
  (import "mcpctl:llm/v1" "wait" (func $wait (param i32 i32) (result i32)))
  (import "mcpctl:llm/v1" "status" (func $status (param i32) (result i32)))
  (import "mcpctl:llm/v1" "result" (func $result (param i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\ff")
  (data (i32.const 131072) "call 1: want available 0 = 4call 2: want available 1 = 4call 3: want available 2 = -2call 4: want available -1 = -2call 5: want begin 2 10 0 = -2call 6: want begin 0 0 0 = -2call 7: want begin 0 10 4 = -2call 8: want begin 0 100 0 = 1Be brief.call 9: want system 1 \22Be brief.\22 = 0Name it: call 10: want text 1 \22Name it: \22 = 0call 11: want span 1 0 0 -1 = 0xcall 12: want system 9 \22x\22 = -2xcall 13: want text 0 \22x\22 = -2call 14: want text 1 0 1 = -2call 15: want system 1 0 1 = -2call 16: want span 1 99 0 1 = -2call 17: want span 1 0 0 99 = -2call 18: want wait 1 0 = -1call 19: want wait -1 0 = -1call 20: want result 9 = -2call 21: want status 9 = -2call 22: want send 9 = -2call 23: want send 1 = 0call 24: want wait -1 2000 = 1call 25: want status 1 = 1call 26: want result 1 = 16call 27: want buf_len 16 = 3call 28: want wait -1 0 = -1call 29: want wait 1 0 = 1xcall 30: want text 1 \22x\22 = -8xcall 31: want system 1 \22x\22 = -8call 32: want span 1 0 0 1 = -8call 33: want send 1 = -8call 34: want begin 0 100 0 = 2Be brief.call 35: want system 2 \22Be brief.\22 = 0Name it: call 36: want text 2 \22Name it: \22 = 0call 37: want span 2 0 0 -1 = 0call 38: want send 2 = 1call 39: want wait -1 0 = 2")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_close") (result i32)
    i32.const 1)
  (func (export "mcpctl_stage") (result i32) (local $left i32)
    ;; available 0 = 4
    i32.const 0
    call $available
    i32.const 4
    i32.ne
    if
    i32.const 131072
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; available 1 = 4
    i32.const 1
    call $available
    i32.const 4
    i32.ne
    if
    i32.const 131100
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; available 2 = -2
    i32.const 2
    call $available
    i32.const -2
    i32.ne
    if
    i32.const 131128
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; available -1 = -2
    i32.const -1
    call $available
    i32.const -2
    i32.ne
    if
    i32.const 131157
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 2 10 0 = -2
    i32.const 2
    i32.const 10
    i32.const 0
    call $begin
    i32.const -2
    i32.ne
    if
    i32.const 131187
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 0 0 = -2
    i32.const 0
    i32.const 0
    i32.const 0
    call $begin
    i32.const -2
    i32.ne
    if
    i32.const 131217
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 10 4 = -2
    i32.const 0
    i32.const 10
    i32.const 4
    call $begin
    i32.const -2
    i32.ne
    if
    i32.const 131246
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 100 0 = 1
    i32.const 0
    i32.const 100
    i32.const 0
    call $begin
    i32.const 1
    i32.ne
    if
    i32.const 131276
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 1 "Be brief." = 0
    i32.const 1
    i32.const 131306
    i32.const 9
    call $system
    i32.const 0
    i32.ne
    if
    i32.const 131315
    i32.const 37
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; text 1 "Name it: " = 0
    i32.const 1
    i32.const 131352
    i32.const 9
    call $text
    i32.const 0
    i32.ne
    if
    i32.const 131361
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 1 0 0 -1 = 0
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const -1
    call $span
    i32.const 0
    i32.ne
    if
    i32.const 131397
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 9 "x" = -2
    i32.const 9
    i32.const 131428
    i32.const 1
    call $system
    i32.const -2
    i32.ne
    if
    i32.const 131429
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; text 0 "x" = -2
    i32.const 0
    i32.const 131460
    i32.const 1
    call $text
    i32.const -2
    i32.ne
    if
    i32.const 131461
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; text 1 0 1 = -2
    i32.const 1
    i32.const 0
    i32.const 1
    call $text
    i32.const -2
    i32.ne
    if
    i32.const 131490
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 1 0 1 = -2
    i32.const 1
    i32.const 0
    i32.const 1
    call $system
    i32.const -2
    i32.ne
    if
    i32.const 131519
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 1 99 0 1 = -2
    i32.const 1
    i32.const 99
    i32.const 0
    i32.const 1
    call $span
    i32.const -2
    i32.ne
    if
    i32.const 131550
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 1 0 0 99 = -2
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 99
    call $span
    i32.const -2
    i32.ne
    if
    i32.const 131582
    i32.const 32
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait 1 0 = -1
    i32.const 1
    i32.const 0
    call $wait
    i32.const -1
    i32.ne
    if
    i32.const 131614
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait -1 0 = -1
    i32.const -1
    i32.const 0
    call $wait
    i32.const -1
    i32.ne
    if
    i32.const 131641
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; result 9 = -2
    i32.const 9
    call $result
    i32.const -2
    i32.ne
    if
    i32.const 131669
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; status 9 = -2
    i32.const 9
    call $status
    i32.const -2
    i32.ne
    if
    i32.const 131696
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; send 9 = -2
    i32.const 9
    call $send
    i32.const -2
    i32.ne
    if
    i32.const 131723
    i32.const 25
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
    i32.const 131748
    i32.const 24
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait -1 2000 = 1
    i32.const -1
    i32.const 2000
    call $wait
    i32.const 1
    i32.ne
    if
    i32.const 131772
    i32.const 30
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; status 1 = 1
    i32.const 1
    call $status
    i32.const 1
    i32.ne
    if
    i32.const 131802
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; result 1 = 16
    i32.const 1
    call $result
    i32.const 16
    i32.ne
    if
    i32.const 131828
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; buf_len 16 = 3
    i32.const 16
    call $buf_len
    i32.const 3
    i32.ne
    if
    i32.const 131855
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait -1 0 = -1
    i32.const -1
    i32.const 0
    call $wait
    i32.const -1
    i32.ne
    if
    i32.const 131883
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait 1 0 = 1
    i32.const 1
    i32.const 0
    call $wait
    i32.const 1
    i32.ne
    if
    i32.const 131911
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; text 1 "x" = -8
    i32.const 1
    i32.const 131937
    i32.const 1
    call $text
    i32.const -8
    i32.ne
    if
    i32.const 131938
    i32.const 29
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 1 "x" = -8
    i32.const 1
    i32.const 131967
    i32.const 1
    call $system
    i32.const -8
    i32.ne
    if
    i32.const 131968
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 1 0 0 1 = -8
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 1
    call $span
    i32.const -8
    i32.ne
    if
    i32.const 131999
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; send 1 = -8
    i32.const 1
    call $send
    i32.const -8
    i32.ne
    if
    i32.const 132030
    i32.const 25
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; begin 0 100 0 = 2
    i32.const 0
    i32.const 100
    i32.const 0
    call $begin
    i32.const 2
    i32.ne
    if
    i32.const 132055
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; system 2 "Be brief." = 0
    i32.const 2
    i32.const 132086
    i32.const 9
    call $system
    i32.const 0
    i32.ne
    if
    i32.const 132095
    i32.const 38
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; text 2 "Name it: " = 0
    i32.const 2
    i32.const 132133
    i32.const 9
    call $text
    i32.const 0
    i32.ne
    if
    i32.const 132142
    i32.const 36
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; span 2 0 0 -1 = 0
    i32.const 2
    i32.const 0
    i32.const 0
    i32.const -1
    call $span
    i32.const 0
    i32.ne
    if
    i32.const 132178
    i32.const 31
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; send 2 = 1
    i32.const 2
    call $send
    i32.const 1
    i32.ne
    if
    i32.const 132209
    i32.const 24
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; wait -1 0 = 2
    i32.const -1
    i32.const 0
    call $wait
    i32.const 2
    i32.ne
    if
    i32.const 132233
    i32.const 27
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
