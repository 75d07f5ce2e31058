; inherits: rise

[
  (block)
  (expression_type)
  (acceptor_type)
] @fold
