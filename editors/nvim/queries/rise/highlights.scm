; Where several patterns match a node the last one wins, so the general ones stand first.

(identifier) @variable

; Definitions and what they bind

(definition name: (identifier) @function)
(foreign_definition name: (identifier) @function)

(parameter name: (identifier) @variable.parameter)
(dependent_parameter name: (identifier) @type.parameter)
(dependent_function_type name: (identifier) @type.parameter)
(implicit_function_type name: (identifier) @type.parameter)
(size_function parameter: (identifier) @type.parameter)
(data_function parameter: (identifier) @type.parameter)
(dependent_pair_type parameter: (identifier) @type.parameter)

; Uses

(application function: (identifier) @function.call)
(pipeline operator: "|>" right: (identifier) @function.call)
(pipeline left: (identifier) @function.call operator: "<|")
(composition (identifier) @function.call)

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

(projection half: (half) @property)

; Types and sizes

(scalar_type) @type.builtin
(kind) @type.builtin
(address_space) @constant.builtin
["Array" "Tuple" "Vec" "Idx" "DepPair"] @type.builtin

; Literals

(integer) @number
(float) @number.float
(boolean) @boolean
(hole) @constant.builtin
(string) @string
(foreign_body "\"\"\"" @string)

; Annotations

(annotation "@" @attribute name: (identifier) @attribute)
(named_argument name: (identifier) @property)

; Words and signs

"import" @keyword.import
["def" "foreign"] @keyword
["fun" "depFun" "natFun" "dataFun"] @keyword.function
(let ["let" "in"] @keyword)
(conditional_type "where" @keyword)
(divides operator: "divides" @keyword.operator)

["|>" "<|" ">>" "<<" "||" "&&" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "^" "!" "|" "="
 "->" "=>"] @operator
(operator _ @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "." ".."] @punctuation.delimiter

; Comments

(comment) @comment
(doc_comment) @comment.documentation
