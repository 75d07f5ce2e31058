; Scopes

[
  (source_file)
  (rule_definition)
  (strategy_definition)
  (predicate_definition)
  (normal_form_definition)
  (alternative)
  (function)
  (case)
  (lambda)
  (dependent_lambda)
  (let)
  (size_function)
  (data_function)
  (dependent_pair_type)
  (dependent_function_type)
  (implicit_function_type)
] @local.scope

; What they bind

; A definition is visible outside of itself.
((rule_definition name: (_) @local.definition.function)
  (#set! definition.function.scope "parent"))
((strategy_definition name: (_) @local.definition.function)
  (#set! definition.function.scope "parent"))
((predicate_definition name: (_) @local.definition.function)
  (#set! definition.function.scope "parent"))
((normal_form_definition name: (_) @local.definition.function)
  (#set! definition.function.scope "parent"))
(value_definition name: (_) @local.definition.function)
(tune_definition name: (_) @local.definition.parameter)

(parameter name: (identifier) @local.definition)
(parameter name: (quoted_identifier) @local.definition)
(parameter name: (metavariable) @local.definition)
(type_parameters (identifier) @local.definition.type)
(let_clause name: (identifier) @local.definition)
(dependent_parameter name: (identifier) @local.definition)
(let name: (identifier) @local.definition)
(size_function parameter: (identifier) @local.definition)
(data_function parameter: (identifier) @local.definition)
(dependent_pair_type parameter: (identifier) @local.definition)
(dependent_function_type name: (identifier) @local.definition)
(implicit_function_type name: (identifier) @local.definition)

; A name in a case's pattern stands for what is there.
(case pattern: (identifier) @local.definition)
(cons_pattern head: (identifier) @local.definition)
(cons_pattern tail: (identifier) @local.definition)
(list_pattern (identifier) @local.definition)
(node_pattern part: (identifier) @local.definition)

; What refers to them

[(identifier) (quoted_identifier) (metavariable)] @local.reference
