/**
 * @file RISE: a functional, data-parallel language with sizes in its types
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const {
  close, commaSep1, components, cutOff, functionBody, functionResult, infix, noOperand,
} = require("../common/rules");

const SCALARS = [
  "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "natType",
];
const KINDS = [
  "Nat", "DataType", "Scalar", "Num", "Int", "Float", "AddrSp", "Nat2Nat", "Nat2Data",
];
const ADDRESS_SPACES = ["Global", "Local", "Private", "Constant"];
const TYPE_FORMS = ["Array", "Tuple", "Vec", "Idx", "DepPair"];
const WORDS = [
  "import", "def", "foreign", "let", "in", "fun", "depFun", "natFun", "dataFun", "true", "false", "_",
];

const OPERATORS = [
  "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^",
];

const DIGITS = /[0-9]+/;
const INTEGER = seq(DIGITS, optional(choice(...SCALARS.filter((name) => /^[iun]/.test(name)))));
const FLOAT = choice(
  seq(DIGITS, ".", DIGITS, optional(seq(/[eE][+-]?/, DIGITS)), optional(/f(16|32|64)?/)),
  seq(DIGITS, /[eE][+-]?/, DIGITS, optional(/f(16|32|64)?/)),
  seq(DIGITS, /f(16|32|64)/),
);

/**
 * A word with which an item begins.
 *
 * Words are told from names by tree-sitter's keyword lexer, which looks at them only where a word
 * is possible at all: in `f(x def b = 1`, where only `,` or `)` can follow, `def` would be skipped
 * as one more name, and `b` with it. A second token for the same word, which is not a keyword to
 * tree-sitter because it could also end in a control character, is found there by the main lexer.
 */
const itemStart = (word) => choice(word, alias(token(choice(word, `${word}\x7f`)), word));

/**
 * The levels of expressions, loosest first, as they are in an argument or elsewhere.
 *
 * An argument may also be a type or a size, and which of them follows only from its function: its
 * grammar is that of expressions with dots, arrows and type parameters. Everything has its own
 * hidden rules in both places and the same names in the tree.
 */
function expressions(place) {
  const isArgument = place === "argument";
  const rules = {};
  // Rules that are always shown under another name must not be hidden: the fields of their nodes
  // would count as those of the node around them.
  const shownElsewhere = /applied|^(let|negation|application|projection|parenthesized|pair|ascription)$/;
  const name = (suffix) => `${shownElsewhere.test(suffix) ? "" : "_"}${place}_${suffix}`;
  const at = ($, suffix) => $[name(suffix)];

  const inside = ($) => (isArgument ? $._argument : $._expression);

  /**
   * Defines a level: what may stand there, which is an operator's application, shown under the
   * name `shown`, or something of the next tighter level. A `let` may end it: it then reaches as
   * far to the right as it can, hence the lower precedence of everything that would stop it.
   */
  let strength = 0;
  const level = (self, shown, tighter, operators, { associative }) => {
    const applied = ($) => alias(at($, `${self}_applied`), $[shown]);
    const binds = (associative === "right" ? prec.right : prec.left).bind(null, ++strength);
    rules[name(`${self}_applied`)] = ($) =>
      binds(
        infix(
          associative === "left" ? choice(applied($), at($, tighter)) : at($, tighter),
          operators($),
          associative === "right"
            ? choice(applied($), at($, tighter), at($, "let_shown"))
            : choice(at($, tighter), at($, "let_shown")),
        ),
      );
    rules[name(self)] = ($) => choice(prec(-1, applied($)), prec(-1, at($, tighter)));
  };

  rules[name("let_shown")] = ($) => alias(at($, "let"), $.let);
  rules[name("let")] = ($) =>
    seq(
      "let",
      choice(
        seq(
          choice(
            $._bound,
            seq("{", field("size", $.identifier), close($, "}"), optional($._typed_binder)),
          ),
          "=",
          field("value", $._expression),
          choice(seq("in", field("body", inside($))), cutOff($)),
        ),
        seq(field("name", $.identifier), cutOff($)),
      ),
    );

  level("apply", "pipeline", "pipe", () => "<|", { associative: "right" });
  level("pipe", "pipeline", "compose", () => "|>", { associative: "left" });

  // `>>` and `<<` side by side would read differently from either end: parentheses are needed.
  level("then", "composition", "or", () => ">>", { associative: "left" });
  level("after", "composition", "or", () => "<<", { associative: "left" });
  delete rules[name("then")];
  delete rules[name("after")];
  rules[name("compose")] = ($) =>
    choice(
      prec(-1, alias(at($, "then_applied"), $.composition)),
      prec(-1, alias(at($, "after_applied"), $.composition)),
      prec(-1, at($, "or")),
    );

  level("or", "binary", "and", () => "||", { associative: "left" });
  level("and", "binary", "compare", () => "&&", { associative: "left" });
  level("compare", "binary", "sum", () => choice("==", "!=", "<", "<=", ">", ">="), {
    associative: "none",
  });
  level("sum", "binary", "product", () => choice("+", "-"), { associative: "left" });
  level("product", "binary", "power", () => choice("*", "/", "%"), { associative: "left" });
  level("power", "binary", "unary", () => "^", { associative: "right" });

  rules[name("unary")] = ($) =>
    choice(
      alias(at($, "negation"), $.unary),
      at($, "postfix"),
      ...(isArgument
        ? [
            alias($.argument_array, $.array_type),
            alias($.argument_dependent_array, $.dependent_array_type),
          ]
        : []),
    );
  rules[name("negation")] = ($) =>
    seq(
      field("operator", choice("-", "!")),
      field("operand", choice(at($, "unary"), at($, "let_shown"))),
    );

  rules[name("postfix")] = ($) =>
    choice(
      alias(at($, "application"), $.application),
      alias(at($, "projection"), $.projection),
      alias(at($, "parenthesized"), $.parenthesized),
      alias(at($, "pair"), $.pair),
      alias(at($, "ascription"), $.ascription),
      $._primary,
    );
  rules[name("application")] = ($) =>
    seq(field("function", at($, "postfix")), field("arguments", $.arguments));
  rules[name("projection")] = ($) =>
    seq(field("pair", at($, "postfix")), ".", field("half", isArgument ? $.half : choice($.half, noOperand($))));

  rules[name("parenthesized")] = ($) => seq("(", inside($), close($, ")"));
  rules[name("pair")] = ($) =>
    seq("(", field("first", inside($)), ",", field("second", inside($)), close($, ")"));
  rules[name("ascription")] = ($) =>
    choice(
      seq("(", field("value", inside($)), ":", field("type", $._type_with_conditions), close($, ")")),
      // `(x : f32)`, told from the parameter `(n: Nat)` of a type by what follows the colon.
      ...(isArgument
        ? [prec(
              1,
              seq("(", field("value", $.identifier), ":", field("type", $._type_with_conditions), close($, ")")),
            )]
        : []),
    );

  return rules;
}

module.exports = grammar({
  name: "rise",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n\v\f]/, $.comment, $.doc_comment],

  externals: ($) => [$._missing_operand, $._missing_close, $._never],

  reserved: {
    global: ($) => [...WORDS, ...SCALARS, ...KINDS, ...ADDRESS_SPACES, ...TYPE_FORMS],
  },

  // `let (a, b) = e in …` is told from an application of the primitive `let` by the `=` alone.
  conflicts: ($) => [
    [$.expression_let, $._primary],
    [$.argument_let, $._primary],
    [$._binder, $._primary],
  ],

  rules: {
    source_file: ($) => repeat($._item),

    // ---- items -------------------------------------------------------------------------------

    _item: ($) => choice($.import, $.definition, $.foreign_definition),

    import: ($) => seq(itemStart("import"), field("path", $.string)),

    definition: ($) =>
      seq(
        repeat($.annotation),
        itemStart("def"),
        field("name", choice($.identifier, noOperand($))),
        repeat(field("parameters", choice($.definition_parameters, $.implicit_parameters))),
        optional(seq(":", field("type", $._type_with_conditions))),
        choice(seq("=", field("body", $._expression)), cutOff($)),
      ),

    definition_parameters: ($) =>
      seq(
        "(",
        commaSep1(
          choice(
            alias($.definition_parameter, $.parameter),
            alias($.sized_parameter, $.dependent_parameter),
          ),
        ),
        close($, ")"),
      ),
    implicit_parameters: ($) => seq("{", commaSep1($.dependent_parameter), close($, "}")),
    // `inout` is a word before a name only; elsewhere it is a name.
    definition_parameter: ($) =>
      choice(
        field("name", noOperand($)),
        seq(
          choice($._parameter_name, field("name", choice($.hole, $.pattern))),
          optional(seq(":", field("type", $._type))),
        ),
        seq(
          field("mode", "inout"),
          field("name", $.identifier),
          optional(seq(":", field("type", $._type))),
        ),
      ),
    sized_parameter: ($) => seq($._parameter_name, ":", field("kind", $.kind)),
    _parameter_name: ($) => field("name", choice($.identifier, alias("inout", $.identifier))),

    foreign_definition: ($) =>
      seq(
        repeat($.annotation),
        itemStart("foreign"),
        "def",
        field("name", $.identifier),
        choice(
          seq(
            field("parameters", $.foreign_parameters),
            choice(
              seq(
                ":",
                field("type", $._type),
                optional(seq("=", field("body", choice($.foreign_body, noOperand($))))),
              ),
              cutOff($),
            ),
          ),
          cutOff($),
        ),
      ),

    foreign_parameters: ($) =>
      seq("(", commaSep1(alias($.foreign_parameter, $.parameter)), close($, ")")),
    foreign_parameter: ($) => $._typed_parameter,

    // The text in between is a node of its own, so that editors can treat it as C.
    foreign_body: ($) => seq('"""', optional($.c_source), token.immediate('"""')),

    c_source: (_) => token.immediate(prec(1, /([^"]|"[^"]|""[^"])+/)),

    annotation: ($) =>
      seq("@", field("name", $.identifier), optional(field("arguments", $.annotation_arguments))),

    annotation_arguments: ($) =>
      seq("(", optional(commaSep1($._annotation_argument)), close($, ")")),

    _annotation_argument: ($) => choice($.named_argument, $._annotation_value),

    named_argument: ($) =>
      seq(field("name", $.identifier), "=", field("value", $._annotation_value)),

    _annotation_value: ($) => choice($._argument, $.divides, $.string, $.list),

    divides: ($) => infix($._argument_apply, choice("|", "divides"), $._argument_apply),

    list: ($) => seq("[", optional(commaSep1($._argument)), close($, "]")),

    // ---- expressions --------------------------------------------------------------------------

    _expression: ($) =>
      choice(alias($.expression_let, $.let), prec(-1, $._expression_apply)),

    ...expressions("expression"),

    // ---- arguments ----------------------------------------------------------------------------

    _argument: ($) =>
      choice(
        alias($.argument_let, $.let),
        alias($.argument_function_type, $.function_type),
        alias($.argument_dependent_function_type, $.dependent_function_type),
        alias($.argument_implicit_function_type, $.implicit_function_type),
        prec(-1, $._argument_apply),
      ),

    ...expressions("argument"),

    argument_function_type: ($) =>
      seq(field("parameter", $._argument_apply), "->", field("result", $._argument)),
    argument_dependent_function_type: ($) => seq("(", $._argument_kinded, functionResult($, ")", $._argument)),
    argument_implicit_function_type: ($) => seq("{", $._argument_kinded, functionResult($, "}", $._argument)),
    // Without a kind it is an ascription whose type is missing.
    _argument_kinded: ($) => seq(field("name", $.identifier), ":", field("kind", $.kind)),

    // The `3.3` of `3.3.f32` is one float token here; it means two sizes.
    argument_array: ($) =>
      seq(field("size", $._argument_postfix), ".", field("element", $._argument_element)),
    argument_dependent_array: ($) =>
      seq(field("size", $._argument_postfix), "..", field("elements", $._argument_element)),
    _argument_element: ($) =>
      choice(
        alias($.argument_array, $.array_type),
        alias($.argument_dependent_array, $.dependent_array_type),
        $._argument_postfix,
      ),

    arguments: ($) => seq("(", commaSep1($._argument), close($, ")")),

    // ---- atoms --------------------------------------------------------------------------------

    half: (_) => choice("_1", "_2"),

    _primary: ($) =>
      choice(
        $.identifier,
        noOperand($),
        alias("let", $.identifier),
        $._literal,
        $.hole,
        $.lambda,
        $.dependent_lambda,
        $.size_function,
        $.data_function,
        $.operator,
        $.scalar_type,
        $.address_space,
        $._bracket_type,
      ),

    lambda: ($) =>
      seq(
        "fun",
        choice(
          seq("(", field("parameters", $.parameters), functionBody($, $._expression)),
          cutOff($),
        ),
      ),
    parameters: ($) =>
      choice(commaSep1($.parameter), prec(1, seq("(", commaSep1($.parameter), close($, ")")))),
    parameter: ($) =>
      choice(
        field("name", noOperand($)),
        seq(field("name", $._binder), optional(seq(":", field("type", $._type)))),
      ),
    _typed_parameter: ($) => seq(field("name", $.identifier), ":", field("type", $._type)),

    // What a `let` binds: a value, or a definition with parameters.
    _bound: ($) =>
      choice(
        $._typed_binder,
        seq(
          field("name", $.identifier),
          repeat1(field("parameters", choice($.definition_parameters, $.implicit_parameters))),
          optional(seq(":", field("type", $._type_with_conditions))),
        ),
      ),
    _typed_binder: ($) => seq(field("name", $._binder), optional(seq(":", field("type", $._type)))),
    // What stands for the name of a value.
    _binder: ($) => choice($.identifier, $.hole, $.pattern),
    // Parentheses around all parameters of a `fun` are no pattern.
    pattern: ($) =>
      seq(
        "(",
        $.parameter,
        choice(seq(repeat1(seq(",", $.parameter)), close($, ")")), cutOff($)),
      ),

    dependent_lambda: ($) =>
      seq(
        "depFun",
        choice(
          seq("(", field("parameters", $.dependent_parameters), functionBody($, $._expression)),
          cutOff($),
        ),
      ),
    dependent_parameters: ($) =>
      choice(
        commaSep1($.dependent_parameter),
        seq("(", commaSep1($.dependent_parameter), close($, ")")),
      ),
    dependent_parameter: ($) => choice(
        field("name", noOperand($)),
        seq(field("name", $.identifier), cutOff($)),
        $._kinded,
      ),

    size_function: ($) =>
      seq("natFun", "(", field("parameter", $.identifier), functionBody($, $._type_or_size)),
    data_function: ($) =>
      seq("dataFun", "(", field("parameter", $.identifier), functionBody($, $._type_or_size)),

    operator: (_) => seq("(", choice(...OPERATORS), ")"),

    _literal: ($) => choice($.integer, $.float, $.boolean, $._negative),

    // A minus directly before a number belongs to it.
    _negative: ($) =>
      choice(alias($._negative_integer, $.integer), alias($._negative_float, $.float)),
    _negative_integer: (_) => seq("-", token.immediate(prec(2, INTEGER))),
    _negative_float: (_) => seq("-", token.immediate(prec(2, FLOAT))),

    integer: (_) => token(INTEGER),
    float: (_) => token(FLOAT),
    boolean: (_) => choice("true", "false"),
    hole: (_) => "_",

    // ---- types and sizes ---------------------------------------------------------------------

    // Behind a colon stands a type: there the operators of sizes need parentheses.
    _type: ($) =>
      choice($.function_type, $.dependent_function_type, $.implicit_function_type, $._data),

    // Of a definition, in an ascription and in parentheses.
    _type_with_conditions: ($) => choice($._type, $.conditional_type),
    // `where` is a word here only, where no name can stand.
    conditional_type: ($) =>
      seq(field("type", $._type), "where", commaSep1(field("condition", $._condition))),
    _condition: ($) => choice($._argument, $.divides),

    // In brackets both may stand; which one is meant follows from the place.
    _type_or_size: ($) => choice($._type, $._only_size),

    function_type: ($) => seq(field("parameter", $._data), "->", field("result", $._type)),
    dependent_function_type: ($) => seq("(", $._kinded, functionResult($, ")", $._type)),
    implicit_function_type: ($) => seq("{", $._kinded, functionResult($, "}", $._type)),
    _kinded: ($) =>
      seq(field("name", $.identifier), ":", field("kind", choice($.kind, noOperand($)))),

    _data: ($) =>
      choice(alias($.type_array, $.array_type), $.dependent_array_type, $._type_atom),

    type_array: ($) => seq(field("size", $._dimension), ".", field("element", $._data)),
    dependent_array_type: ($) =>
      seq(field("size", $._dimension), "..", field("elements", $._data)),
    _dimension: ($) => choice($._type_atom, alias($._natural, $.integer)),

    _type_atom: ($) =>
      choice(
        $.identifier,
        noOperand($),
        $.hole,
        $.scalar_type,
        $.data_function,
        $.size_function,
        $._bracket_type,
        alias($.type_application, $.application),
        alias($.type_parenthesized, $.parenthesized),
        alias($.type_pair, $.pair),
      ),
    type_application: ($) =>
      seq(
        field("function", $._type_atom),
        field("arguments", alias($.type_arguments, $.arguments)),
      ),
    type_arguments: ($) => seq("(", commaSep1($._type_or_size), close($, ")")),
    type_parenthesized: ($) =>
      seq("(", choice($._type_or_size, $.conditional_type), close($, ")")),
    type_pair: ($) =>
      seq("(", field("first", $._type_or_size), ",", field("second", $._type_or_size), close($, ")")),

    _bracket_type: ($) =>
      choice(
        alias($.long_array, $.array_type),
        $.tuple_type,
        $.vector_type,
        $.index_type,
        $.dependent_pair_type,
      ),
    long_array: ($) => seq("Array", "[", components($, "size", "element", $._type_or_size, "]")),
    tuple_type: ($) => seq("Tuple", "[", components($, "first", "second", $._type_or_size, "]")),
    vector_type: ($) => seq("Vec", "[", components($, "size", "element", $._type_or_size, "]")),
    index_type: ($) => seq("Idx", "[", field("size", $._type_or_size), close($, "]")),
    dependent_pair_type: ($) =>
      seq(
        "DepPair",
        "[",
        field("parameter", $.identifier),
        functionBody($, $._type_or_size, "]"),
      ),

    _size: ($) => choice($._type_atom, $._only_size),
    _only_size: ($) =>
      choice(
        alias($._natural, $.integer),
        alias($._negative_natural, $.integer),
        alias($.size_binary, $.binary),
        alias($.size_negation, $.unary),
      ),
    size_binary: ($) =>
      choice(
        prec.left(1, infix($._size, choice("+", "-"), $._size)),
        prec.left(2, infix($._size, choice("*", "/", "%"), $._size)),
        prec.right(3, infix($._size, "^", $._size)),
      ),
    size_negation: ($) => prec(4, seq(field("operator", "-"), field("operand", $._size))),
    _negative_natural: (_) => seq("-", token.immediate(prec(2, DIGITS))),
    _natural: (_) => token(DIGITS),

    // ---- words and trivia ----------------------------------------------------------------------

    scalar_type: (_) => choice(...SCALARS),
    address_space: (_) => choice(...ADDRESS_SPACES),
    kind: (_) => choice(...KINDS),

    identifier: (_) => /[_\p{XID_Start}]\p{XID_Continue}*/,

    string: (_) => /"([^"\\\n]|\\[^\n])*"/,

    // Up to the end of the line, which CR alone is not, nor does CRLF belong to the comment.
    doc_comment: (_) => /\/\/\/(([^\/\r\n]|\r+[^\r\n])([^\r\n]|\r+[^\r\n])*)?/,
    comment: (_) =>
      token(
        choice(
          /\/\/(([^\/\r\n]|\r+[^\r\n])([^\r\n]|\r+[^\r\n])*)?/,
          /\/\/\/\/([^\r\n]|\r+[^\r\n])*/,
          /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//,
        ),
      ),
  },
});
