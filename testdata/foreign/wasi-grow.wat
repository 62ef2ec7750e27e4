;; Takes memory until there is none.
(module
  (memory (export "memory") 1)
  (func (export "_start")
    (loop $more
      (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
      (br $more))))
