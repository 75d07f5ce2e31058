; Where several patterns match a node the last one wins, so the general ones stand first.

(identifier) @variable
(quoted_identifier) @variable
(metavariable) @variable.parameter

; Definitions and what they bind

(rule_definition name: (_) @function)
(strategy_definition name: (_) @function)
(value_definition name: (_) @function)
(predicate_definition name: (_) @function)
(normal_form_definition name: (_) @function)
(tune_definition name: (_) @type.parameter)

(parameter name: (_) @variable.parameter)
(type_parameters (_) @type.parameter)
(dependent_parameter name: (_) @type.parameter)
(dependent_function_type name: (_) @type.parameter)
(implicit_function_type name: (_) @type.parameter)
(size_function parameter: (_) @type.parameter)
(data_function parameter: (_) @type.parameter)
(dependent_pair_type parameter: (_) @type.parameter)

; Uses

(call function: (identifier) @function.call)
(call function: (quoted_identifier) @function.call)
(member name: (_) @function.method)
(location right: (identifier) @function.call)
(application function: (identifier) @function.call)
(pipeline operator: "|>" right: (identifier) @function.call)
(pipeline left: (identifier) @function.call operator: "<|")
(composition (identifier) @function.call)
(property function: (identifier) @function.call)

; Combinators and traversals of the library

((identifier) @function.builtin
  (#any-of? @function.builtin
    "id" "fail" "try" "repeat" "normalize" "leftChoice" "limit" "all" "one" "some" "topDown"
    "bottomUp" "allTopDown" "allBottomUp" "tryAll" "outermost" "innermost" "every" "everywhere"
    "body" "function" "argument" "argumentOf" "fmap" "at" "nth" "position" "List" "Seq"))

; Primitives of RISE, in its terms and where strategies name them

((identifier) @function.builtin
  (#any-of? @function.builtin
    "add" "sub" "mul" "div" "neg" "mod" "fma" "gt" "lt" "ge" "le" "equal" "notEqual" "not" "and"
    "or" "select" "cast" "indexAsNat" "natAsIndex" "generate" "idx" "makeArray" "take" "drop"
    "concat" "split" "join" "transpose" "slide" "assume" "gather" "scatter" "reorder" "padCst"
    "padClamp" "padEmpty" "zip" "unzip" "makePair" "fst" "snd" "mapFst" "mapSnd" "vectorFromScalar"
    "asScalar" "asVector" "asVectorAligned" "mapVec" "map" "mapSeq" "mapSeqUnroll" "mapStream"
    "iterateStream" "mapPar" "mapGlobal" "mapWorkGroup" "mapLocal" "reduce" "reducePar"
    "reduceSeq" "reduceSeqUnroll" "scanSeq" "iterate" "circularBuffer" "rotateValues" "let"
    "toMem" "oclRun" "depMapSeq" "depZip" "depJoin" "partition" "makeDepPair" "dmatch"))

(node) @constructor
((identifier) @constructor (#any-of? @constructor "Success" "Failure"))
(projection half: (half) @property)

; Types and sizes

(type_name) @type
(type_name (identifier) @type)
((type_name) @type.builtin
  (#any-of? @type.builtin
    "Nat" "Int" "Bool" "String" "Addr" "Expr" "Type" "Strategy" "Traversal" "Pred" "Rule" "Result"
    "List"))
((type_name (identifier) @type.builtin)
  (#any-of? @type.builtin
    "Bool" "String" "Addr" "Expr" "Type" "Strategy" "Traversal" "Pred" "Rule" "Result" "List"))
(scalar_type) @type.builtin
(kind) @type.builtin
(address_space) @constant.builtin
(order) @constant.builtin
(language_declaration name: (identifier) @constant.builtin)
["Array" "Tuple" "Vec" "Idx" "DepPair"] @type.builtin

; Literals

(integer) @number
(float) @number.float
(boolean) @boolean
(hole) @constant.builtin
(failure) @constant.builtin
(string) @string

; Attributes

(attribute "@" @attribute name: (identifier) @attribute)
(named_argument name: (_) @property)

; Words and signs

"import" @keyword.import
["rule" "strategy" "def" "val" "pred" "normalform" "tune" "language" "traversal"] @keyword
"unsafe" @keyword.modifier
(example ["example" "input" "apply" "expect" "modulo"] @keyword)
(trace "trace" @keyword)
(quotation "rise" @keyword)
(with "with" @keyword)
["fun" "depFun" "natFun" "dataFun"] @keyword.function
(let ["let" "in"] @keyword)
(let_clause "let" @keyword)
(where_clause "where" @keyword)
(tune_definition ["in" "where"] @keyword)
(range ["divisors" "step" "pow"] @keyword)
["requires" "assuming"] @keyword
["match" "case" "if" "then" "else"] @keyword.conditional
(divisibility "divides" @keyword.operator)
(not_in "notIn" @keyword.operator)
(holds "holds" @function.builtin)
(binary operator: ["and" "or"] @keyword.operator)
(unary operator: "not" @keyword.operator)

["<+" ";" ";;"] @operator
(location operator: "@" @operator)
["|->" "↦" "|>" "<|" ">>" "<<" "||" "&&" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "^" "!"
 "|" "=" "->" "=>" "::"] @operator
(operator _ @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "." ".."] @punctuation.delimiter

; Comments

(comment) @comment
(doc_comment) @comment.documentation
