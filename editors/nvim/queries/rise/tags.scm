(
  (doc_comment)* @doc
  .
  (definition name: (identifier) @name) @definition.function
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.function)
)

(
  (doc_comment)* @doc
  .
  (foreign_definition name: (identifier) @name) @definition.function
  (#strip! @doc "^///\\s?")
  (#select-adjacent! @doc @definition.function)
)

(application function: (identifier) @name) @reference.call
(pipeline operator: "|>" right: (identifier) @name) @reference.call
(pipeline left: (identifier) @name operator: "<|") @reference.call
(composition (identifier) @name) @reference.call
