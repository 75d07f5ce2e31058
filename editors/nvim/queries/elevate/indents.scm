[
  (rule_definition)
  (strategy_definition)
  (value_definition)
  (predicate_definition)
  (normal_form_definition)
  (tune_definition)
  (example)
  (alternatives)
  (patterns)
  (match)
  (case)
  (quotation)
  (with)
  (lambda)
  (dependent_lambda)
  (arguments)
  (annotation_arguments)
  (parameter_list)
  (list)
  (parenthesized)
  (tuple)
  (pair)
  (ascription)
] @indent.begin

[")" "]" "}"] @indent.branch @indent.end

[(comment) (doc_comment)] @indent.ignore
