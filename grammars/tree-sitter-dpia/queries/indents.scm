; inherits: rise

[
  (block)
  (assignment)
] @indent.begin

"}" @indent.branch @indent.end
