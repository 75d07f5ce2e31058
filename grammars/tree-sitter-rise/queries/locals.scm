; Scopes

[
  (source_file)
  (definition)
  (foreign_definition)
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
((definition name: (identifier) @local.definition.function)
  (#set! definition.function.scope "parent"))
((foreign_definition name: (identifier) @local.definition.function)
  (#set! definition.function.scope "parent"))

(parameter name: (identifier) @local.definition)
(dependent_parameter name: (identifier) @local.definition)
(let name: (identifier) @local.definition)
(let size: (identifier) @local.definition)
(size_function parameter: (identifier) @local.definition)
(data_function parameter: (identifier) @local.definition)
(dependent_pair_type parameter: (identifier) @local.definition)
(dependent_function_type name: (identifier) @local.definition)
(implicit_function_type name: (identifier) @local.definition)

; What refers to them

(identifier) @local.reference
