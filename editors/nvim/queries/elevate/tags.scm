(
  (doc_comment)* @doc
  .
  (rule_definition name: (_) @name) @definition.function
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.function)
)

(
  (doc_comment)* @doc
  .
  (strategy_definition name: (_) @name) @definition.function
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.function)
)

(
  (doc_comment)* @doc
  .
  (value_definition name: (_) @name) @definition.constant
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.constant)
)

(
  (doc_comment)* @doc
  .
  (predicate_definition name: (_) @name) @definition.function
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.function)
)

(
  (doc_comment)* @doc
  .
  (normal_form_definition name: (_) @name) @definition.function
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.function)
)

(
  (doc_comment)* @doc
  .
  (tune_definition name: (_) @name) @definition.constant
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.constant)
)

(call function: (identifier) @name) @reference.call
(location right: (identifier) @name) @reference.call
(application function: (identifier) @name) @reference.call
(pipeline operator: "|>" right: (identifier) @name) @reference.call
(pipeline left: (identifier) @name operator: "<|") @reference.call
(composition (identifier) @name) @reference.call
