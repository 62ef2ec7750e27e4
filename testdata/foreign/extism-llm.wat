;; Asks an LLM what stands in its input, a request in JSON, and writes the response.
(module
  (import "extism:host/user" "mcpctl_llm_complete" (func $mcpctl_llm_complete (param i64) (result i64)))
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (memory (export "memory") 1)
  ;; makes a text the output
  (func $give (param $text i64) (call $output_set (local.get $text) (call $length (local.get $text))))
  (func (export "transform") (result i32)
    (call $give (call $mcpctl_llm_complete (call $input_offset)))
    (i32.const 0)))
