[
  (definition)
  (foreign_definition)
  (foreign_body)
  (lambda)
  (dependent_lambda)
  (arguments)
  (annotation_arguments)
  (parenthesized)
  (pair)
  (ascription)
  (list)
  (foreign_parameters)
  (definition_parameters)
  (implicit_parameters)
  (array_type)
  (tuple_type)
  (vector_type)
  (index_type)
  (dependent_pair_type)
  (comment)
] @fold

(import)+ @fold
(doc_comment)+ @fold
