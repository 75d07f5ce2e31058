[
  (definition)
  (foreign_definition)
  (lambda)
  (dependent_lambda)
  (arguments)
  (annotation_arguments)
  (foreign_parameters)
  (definition_parameters)
  (implicit_parameters)
  (list)
  (parenthesized)
  (pair)
  (ascription)
] @indent.begin

[")" "]" "}"] @indent.branch @indent.end

[(comment) (doc_comment) (foreign_body)] @indent.ignore
