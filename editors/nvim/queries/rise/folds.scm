[
  (definition)
  (foreign_definition)
  (foreign_body)
  (lambda)
  (dependent_lambda)
  (arguments)
  (annotation_arguments)
  (parenthesized)
  (comment)
] @fold

(import)+ @fold
(doc_comment)+ @fold
