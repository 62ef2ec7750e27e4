;; What belongs to another hook is refused.
;; Made from the archive beside it. Its manifest, a custom section:
;; {"name":"check","abi":"1.0","roles":[{"name":"check","kind":"controller","capabilities":["cache","llm","session"]}]}
(module
  (import "mcpctl:core/v1" "section_add" (func $section_add (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "sections_add" (func $sections_add (param i32 i32 i32 i32 i32) (result i32)))
  (import "mcpctl:core/v1" "fail" (func $fail (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_hide" (func $tool_hide (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_patch" (func $tool_patch (param i32 i32 i32 i32) (result i32)))
  (import "mcpctl:session/v1" "tool_add" (func $tool_add (param i32 i32) (result i32)))
  (import "mcpctl:session/v1" "out_to" (func $out_to (param i32) (result i32)))
  (import "mcpctl:session/v1" "out_kind" (func $out_kind (param i32) (result i32)))
  (import "mcpctl:session/v1" "call_rewrite" (func $call_rewrite (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 131072) "begincall 1: want tool_hide \22begin\22 = -8begin{}call 2: want tool_patch \22begin\22 \22{}\22 = -8{\22name\22:\22n\22,\22inputSchema\22:{}}call 3: want tool_add \22{\5c\22name\5c\22:\5c\22n\5c\22,\5c\22inputSchema\5c\22:{}}\22 = -8call 4: want out_to 1 = -8call 5: want out_to 2 = -8call 6: want out_kind 2 = -8files/readcall 7: want call_rewrite \22files/read\22 0 0 -1 = -8call 8: want section_add -1 1 0 1 0 0 = -8call 9: want sections_add 1 0 0 0 0 = -8")
  (func (export "mcpctl_abi_v1"))
  (func (export "mcpctl_on_initialize") (result i32) (local $left i32)
    ;; tool_hide "begin" = -8
    i32.const 131072
    i32.const 5
    call $tool_hide
    i32.const -8
    i32.ne
    if
    i32.const 131077
    i32.const 35
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_patch "begin" "{}" = -8
    i32.const 131112
    i32.const 5
    i32.const 131117
    i32.const 2
    call $tool_patch
    i32.const -8
    i32.ne
    if
    i32.const 131119
    i32.const 41
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; tool_add "{\"name\":\"n\",\"inputSchema\":{}}" = -8
    i32.const 131160
    i32.const 29
    call $tool_add
    i32.const -8
    i32.ne
    if
    i32.const 131189
    i32.const 64
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 1 = -8
    i32.const 1
    call $out_to
    i32.const -8
    i32.ne
    if
    i32.const 131253
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_to 2 = -8
    i32.const 2
    call $out_to
    i32.const -8
    i32.ne
    if
    i32.const 131279
    i32.const 26
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; out_kind 2 = -8
    i32.const 2
    call $out_kind
    i32.const -8
    i32.ne
    if
    i32.const 131305
    i32.const 28
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; call_rewrite "files/read" 0 0 -1 = -8
    i32.const 131333
    i32.const 10
    i32.const 0
    i32.const 0
    i32.const -1
    call $call_rewrite
    i32.const -8
    i32.ne
    if
    i32.const 131343
    i32.const 50
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; section_add -1 1 0 1 0 0 = -8
    i32.const -1
    i32.const 1
    i32.const 0
    i32.const 1
    i32.const 0
    i32.const 0
    call $section_add
    i32.const -8
    i32.ne
    if
    i32.const 131393
    i32.const 42
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    ;; sections_add 1 0 0 0 0 = -8
    i32.const 1
    i32.const 0
    i32.const 0
    i32.const 0
    i32.const 0
    call $sections_add
    i32.const -8
    i32.ne
    if
    i32.const 131435
    i32.const 40
    call $fail
    drop
    i32.const 2 ;; FAIL
    return
    end
    i32.const 1)) ;; PASS
