/**
 * @file ELEVATE: strategies that rewrite programs of RISE
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const rise = require("../tree-sitter-rise/grammar");
const { close, commaSep1, cutOff, infix, noOperand } = require("../common/rules");

/** Words with which items begin; `rule` and `def` among them. */
const ITEMS = [
  "rule", "unsafe", "strategy", "val", "pred", "normalform", "tune", "example", "language",
  "traversal",
];
const WORDS = ["match", "case", "if", "then", "else", "with", "where", "requires", "assuming"];
/**
 * Nodes of programs and results, as patterns name them, with how many parts they have; besides
 * `fun`, which is a word of RISE.
 */
const NODES = [
  ["Success", 1], ["Failure", 1], ["app", 2], ["depapp", 2], ["depfun", 2], ["lit", 1], ["prim", 1],
];
const ORDERS = ["default", "functionFirst", "argumentFirst"];

/** What RISE has in its files but not in its terms. */
const NOT_IN_TERMS = [
  "_item", "definition", "foreign_definition", "foreign_parameters", "foreign_parameter",
  "foreign_body", "c_source", "annotation", "divides",
];

/**
 * The grammar of RISE's terms: names may be metavariables, or stand in backquotes.
 *
 * @param {any} language
 */
function termsOf(language) {
  /** @param {any} rule */
  const renamed = (rule) => {
    if (Array.isArray(rule)) return rule.map(renamed);
    if (rule === null || typeof rule !== "object") return rule;
    if (rule.type === "SYMBOL" && rule.name === "identifier") return { ...rule, name: "_name" };
    // The value of an alias is a name of the tree, and no rule.
    const { value, ...others } = rule;
    const parts = Object.entries(others).map(([key, part]) => [key, renamed(part)]);
    return { ...Object.fromEntries(parts), ...(value === undefined ? {} : { value }) };
  };
  const rules = Object.entries(language.grammar.rules)
    .filter(([name]) => !NOT_IN_TERMS.includes(name))
    .map(([name, rule]) => [name, renamed(rule)]);
  return { ...language, grammar: { ...language.grammar, rules: Object.fromEntries(rules) } };
}

/** A word with which an item begins; see the grammar of RISE for why there are two tokens. */
const itemStart = (word) => choice(word, alias(token(choice(word, `${word}\x7f`)), word));

/** A name in backquotes: neither empty nor an operator. */
const QUOTED = (() => {
  const blanks = /[ \t]*/;
  const sign = /[^` \t\n]/;
  const rest = /[^`\n]*/;
  const inside = choice(
    seq(/[^`;@< \t\n]/, rest),
    seq(";", blanks, /[^`; \t\n]/, rest),
    seq(";", /[ \t]+/, ";", rest),
    seq(";;", blanks, sign, rest),
    seq("@", blanks, sign, rest),
    seq("<", optional(seq(/[^`+\n]/, rest))),
    seq("<+", blanks, sign, rest),
  );
  return token(seq("`", blanks, inside, "`"));
})();

/** An operator between strategies, plain or in quotes. */
const combinator = (text) => {
  const escaped = text.replace(/[+]/g, "\\$&");
  const mark = "[\u2018\u2019\u201b\u00b4\u2032]";
  const quoted = new RegExp(`\`[ \\t]*${escaped}[ \\t]*\`|${mark}[ \\t]*${escaped}[ \\t]*${mark}`);
  return choice(text, alias(token(prec(1, quoted)), text));
};

/** So many patterns of a case with commas between them. */
const casePatterns = ($, count) => {
  const part = field("part", $._case_pattern);
  return [part, ...Array(count - 1).fill(seq(",", part))];
};

/** One after the other, as far as they are there before the next item; each a list of parts. */
const steps = ($, first, ...others) =>
  others.length === 0
    ? choice(seq(...[first].flat()), cutOff($))
    : choice(seq(...[first].flat(), steps($, ...others)), cutOff($));

/** `( … )` directly behind what is called. */
const called = ($, ...inside) => seq(alias($._call, "("), ...inside, close($, ")"));

/**
 * The levels of strategy expressions, loosest first.
 *
 * A function or an `if` may end each of them: it then reaches as far to the right as it can, hence
 * the lower precedence of everything that would stop it.
 */
function strategies() {
  const rules = {};
  let strength = 0;
  const level = (self, shown, tighter, operators, associative = "left") => {
    const applied = ($) => alias($[`strategy_${self}`], $[shown]);
    const binds = (associative === "right" ? prec.right : prec.left).bind(null, ++strength);
    const operand = ($) => $[`_strategy_${tighter}`];
    rules[`strategy_${self}`] = ($) =>
      binds(
        infix(
          associative === "left" ? choice(applied($), operand($)) : operand($),
          operators,
          associative === "right"
            ? choice(applied($), operand($), $._strategy_tail)
            : choice(operand($), $._strategy_tail),
        ),
      );
    rules[`_strategy_${self}_level`] = ($) => choice(prec(-1, applied($)), prec(-1, operand($)));
  };
  level("choice", "choice", "sequence_level", combinator("<+"));
  level("sequence", "sequence", "location_level", choice(combinator(";"), combinator(";;")));
  level("location", "location", "or_level", combinator("@"));
  level("or", "binary", "and_level", choice("or", "||"));
  level("and", "binary", "compare_level", choice("and", "&&"));
  level("compare", "binary", "cons_level", choice("==", "!=", "<", "<=", ">", ">="), "none");
  level("cons", "binary", "sum_level", "::", "right");
  level("sum", "binary", "product_level", choice("+", "-"));
  level("product", "binary", "unary", choice("*", "/", "%"));
  rules._strategy_unary = ($) => choice(alias($.strategy_negation, $.unary), $._strategy_postfix);
  rules.strategy_negation = ($) => {
    const operand = field("operand", choice($._strategy_unary, $._strategy_tail));
    return prec(1, choice(
      seq(field("operator", choice("-", "!")), operand),
      seq(field("operator", "not"), choice(operand, $._or_name)),
    ));
  };
  return rules;
}

module.exports = grammar(termsOf(rise), {
  name: "elevate",

  // The last four never come, but tell the scanner where it is. At the first one a word stands
  // that is a name if no operand follows it: so no operand is missing, and what follows begins no
  // main expression. At the second one `step` and `pow` begin none, at the third one `rule` begins
  // no other item. The last one is possible behind operands.
  externals: ($, previous) => [
    ...previous,
    $._main_start,
    $._attribute_start,
    $._call,
    $._native_end,
    $._or_name,
    $._range_end,
    $._rule_due,
    $._operand_end,
  ],

  conflicts: ($, previous) => [
    ...previous,
    // `(x, y)` and `(x, y) => s`
    [$.strategy_parameter, $._strategy_primary],
    // `fun(x, y)` and `fun(x, y => b)`
    [$._binder, $._strategy_primary],
    [$.parameter, $._strategy_primary],
    [$._name, $._strategy_primary],
    [$._binder, $._primary],
    [$.parameter, $._primary],
    [$._typed_parameter, $._primary],
    // `where (f(n))` and `where (f(n)) divides m`
    [$._condition, $._expression_postfix],
  ],

  reserved: {
    global: (_, previous) => [
      ...previous.filter(({ value }) => value !== "foreign"), ...ITEMS, ...WORDS,
    ],
  },

  rules: {
    source_file: ($) => repeat($._item),

    // ---- items ----------------------------------------------------------------------------------

    _item: ($) =>
      choice(
        $.import,
        $.language_declaration,
        $.traversal_declaration,
        seq($._open_item, optional($._operand_end)),
      ),
    // Those that end with an operand, which might go on.
    _open_item: ($) =>
      choice(
        $.rule_definition,
        $.strategy_definition,
        $.value_definition,
        $.predicate_definition,
        $.normal_form_definition,
        $.tune_definition,
        $.example,
        $.main,
      ),

    language_declaration: ($) =>
      seq(itemStart("language"), field("name", alias("rise", $.identifier))),
    traversal_declaration: ($) => seq(itemStart("traversal"), field("order", $.order)),
    order: (_) => choice(...ORDERS),

    rule_definition: ($) =>
      seq(
        repeat($.attribute),
        choice($._rule, seq(itemStart("unsafe"), choice($._rule, cutOff($), $._rule_due))),
      ),
    _rule: ($) =>
      seq(
        itemStart("rule"),
        $._head,
        choice(seq("=", field("body", choice($._native, $._alternatives))), cutOff($)),
      ),
    strategy_definition: ($) =>
      seq(
        repeat($.attribute),
        choice(itemStart("strategy"), itemStart("def")),
        field("name", $._defined),
        optional(field("type_parameters", $.type_parameters)),
        repeat(field("parameters", $.parameter_list)),
        optional(seq(":", field("type", $._strategy_type))),
        $._strategy_body,
      ),
    value_definition: ($) =>
      seq(
        repeat($.attribute),
        itemStart("val"),
        field("name", $._defined),
        optional(seq(":", field("type", $._strategy_type))),
        $._strategy_body,
      ),
    predicate_definition: ($) =>
      seq(
        repeat($.attribute),
        itemStart("pred"),
        $._head,
        choice(seq("=", field("body", choice($._strategy, $.patterns))), cutOff($)),
      ),
    patterns: ($) =>
      seq("{", $._pattern_term, repeat(seq("|", $._pattern_term)), close($, "}")),
    normal_form_definition: ($) =>
      seq(repeat($.attribute), itemStart("normalform"), $._head, $._strategy_body),
    tune_definition: ($) =>
      seq(
        repeat($.attribute),
        itemStart("tune"),
        field("name", $._defined),
        choice(
          seq(
            ":",
            field("type", $._strategy_type),
            optional(seq("in", field("range", $._range))),
            optional(seq("=", field("value", $._strategy))),
            optional(seq("where", field("condition", $._condition))),
          ),
          cutOff($),
        ),
      ),
    example: ($) =>
      seq(
        repeat($.attribute),
        itemStart("example"),
        optional(field("title", $.string)),
        steps(
          $,
          "{",
          ["input", field("input", $._expression)],
          ["apply", field("apply", $._strategy)],
          [
            "expect",
            field("expect", choice($.failure, $.trace, $._expression)),
            optional(seq("modulo", field("modulo", $._defined))),
            close($, "}"),
          ],
        ),
      ),
    failure: (_) => "failure",
    trace: ($) => seq("trace", "[", optional(commaSep1($._defined)), close($, "]")),

    main: ($) => seq($._main_start, $._strategy),

    attribute: ($) =>
      seq(
        alias($._attribute_start, "@"),
        field("name", $.identifier),
        optional(field("arguments", $.annotation_arguments)),
      ),
    _annotation_value: ($) => choice($._argument, $.string, $.list),

    _head: ($) => seq(field("name", $._defined), repeat(field("parameters", $.parameter_list))),
    _defined: ($) => choice($.identifier, $.quoted_identifier, noOperand($)),
    _strategy_body: ($) => choice(seq("=", field("body", $._strategy)), cutOff($)),

    type_parameters: ($) => seq("[", commaSep1($._defined), close($, "]")),
    parameter_list: ($) =>
      called($, optional(commaSep1(alias($.definition_parameter, $.parameter)))),
    definition_parameter: ($) =>
      seq(
        field("name", choice($._defined, $.hole)),
        optional(seq(":", field("type", $._strategy_type))),
        optional(seq("=", field("default", $._strategy))),
      ),

    // ---- rules ----------------------------------------------------------------------------------

    // What the compiler does itself.
    _native: ($) => seq($.hole, $._native_end),
    _alternatives: ($) => choice($.alternative, $.alternatives),
    alternatives: ($) =>
      seq("{", $.alternative, repeat(seq("|", $.alternative)), close($, "}")),
    alternative: ($) =>
      seq(
        field("left", $._pattern_term),
        steps($, [
          choice("|->", "↦"),
          field("right", $._expression),
          repeat(field("clause", $._clause)),
        ]),
      ),
    // Its type needs no parentheses.
    _pattern_term: ($) => choice($._expression, alias($.typed_pattern, $.ascription)),
    typed_pattern: ($) => seq(field("value", $._expression), ":", field("type", $._type)),

    _clause: ($) => choice($.let_clause, $.where_clause, $.requires_clause, $.assuming_clause),
    let_clause: ($) =>
      seq("let", field("name", $._defined), "=", field("value", $._argument_apply)),
    where_clause: ($) => seq("where", field("condition", $._condition)),
    requires_clause: ($) => seq("requires", field("condition", $._condition)),
    assuming_clause: ($) => seq("assuming", field("condition", $._condition)),

    // ---- conditions -----------------------------------------------------------------------------

    _condition: ($) =>
      choice(
        alias($.condition_or, $.binary),
        alias($.condition_and, $.binary),
        alias($.condition_not, $.unary),
        alias($.condition_parenthesized, $.parenthesized),
        $.divisibility,
        alias($.expression_compare_applied, $.comparison),
        $.not_in,
        $.typing,
        $.holds,
        alias($.expression_application, $.property),
        prec(1, noOperand($)),
      ),
    condition_or: ($) => prec.left(1, infix($._condition, choice("or", "||"), $._condition)),
    condition_and: ($) => prec.left(2, infix($._condition, choice("and", "&&"), $._condition)),
    condition_not: ($) =>
      prec(3, seq(field("operator", choice("not", "!")), field("operand", $._condition))),
    condition_parenthesized: ($) => seq("(", $._condition, close($, ")")),
    divisibility: ($) => seq(field("divisor", $._operand), "divides", field("size", $._operand)),
    not_in: ($) => seq(field("name", $._operand), "notIn", field("term", $._operand)),
    typing: ($) => seq(field("term", $._operand), ":", field("type", choice($._type, $.kind))),
    holds: ($) =>
      seq(
        "holds",
        called($, field("strategy", $._strategy), ",", field("term", $._argument)),
      ),
    _operand: ($) => $._expression_sum,

    _range: ($) =>
      choice(alias($.between, $.range), alias($.divisors, $.range), alias($.size_set, $.range)),
    between: ($) =>
      seq(
        field("from", $._size),
        "..",
        field("to", $._size),
        optional(
          choice(
            seq("step", field("step", $._size)),
            seq("pow", field("factor", $._size)),
            $._range_end,
          ),
        ),
      ),
    divisors: ($) => seq("divisors", called($, field("of", $._type_or_size))),
    size_set: ($) => seq("{", commaSep1($._type_or_size), close($, "}")),

    // ---- strategies -----------------------------------------------------------------------------

    _strategy: ($) =>
      choice(
        prec(-1, $.match),
        prec(-1, $._strategy_choice_level),
        prec(-1, $._strategy_tail),
      ),
    match: ($) =>
      seq(
        field("scrutinee", choice($.match, $._strategy_choice_level)),
        "match",
        choice(seq("{", repeat($.case), close($, "}")), cutOff($)),
      ),
    case: ($) =>
      seq(
        "case",
        field("pattern", $._case_pattern),
        optional(seq("if", field("guard", $._strategy_choice_level))),
        choice(seq("=>", field("body", $._strategy)), cutOff($)),
      ),

    _strategy_tail: ($) => choice(alias($.strategy_function, $.function), $.conditional),
    strategy_function: ($) =>
      prec.right(seq(
        field("parameters", choice(
          alias($.single_parameter, $.parameters),
          alias($.function_parameters, $.parameters),
        )),
        "=>",
        field("body", $._strategy),
      )),
    single_parameter: ($) => alias($.untyped_parameter, $.parameter),
    // In `case p if a and x => b` it is none.
    untyped_parameter: ($) => prec(-1, field("name", $.identifier)),
    function_parameters: ($) =>
      seq("(", optional(commaSep1(alias($.strategy_parameter, $.parameter))), ")"),
    strategy_parameter: ($) =>
      seq(
        field("name", choice($.identifier, $.quoted_identifier, $.hole)),
        optional(seq(":", field("type", $._strategy_type))),
      ),
    conditional: ($) =>
      seq(
        "if",
        field("condition", $._strategy),
        steps(
          $,
          ["then", field("consequence", $._strategy)],
          ["else", field("alternative", $._strategy)],
        ),
      ),

    ...strategies(),

    _strategy_postfix: ($) =>
      choice($.call, alias($.node_call, $.call), $.member, $._strategy_primary),
    call: ($) =>
      seq(
        field("function", $._strategy_postfix),
        field("arguments", alias($.call_arguments, $.arguments)),
      ),
    // What is written as a function of RISE has a `=>`.
    node_call: ($) =>
      seq(
        field("function", alias("fun", $.identifier)),
        field("arguments", alias($.node_arguments, $.arguments)),
      ),
    node_arguments: ($) =>
      seq("(", commaSep1($._strategy_choice_level), close($, ")")),
    call_arguments: ($) => called($, optional(commaSep1($._call_argument))),
    _call_argument: ($) => choice(alias($.named_call_argument, $.named_argument), $._strategy),
    named_call_argument: ($) =>
      seq(
        field("name", choice($.identifier, $.quoted_identifier)),
        "=",
        field("value", $._strategy),
      ),
    member: ($) =>
      seq(field("object", $._strategy_postfix), ".", field("name", $._defined)),

    _strategy_primary: ($) =>
      choice(
        $.identifier,
        $.quoted_identifier,
        alias(choice("not", "rise", "let"), $.identifier),
        noOperand($),
        $.hole,
        $._literal,
        $.string,
        $.address_space,
        $.scalar_type,
        $._bracket_type,
        $.size_function,
        $.data_function,
        $.lambda,
        $.dependent_lambda,
        alias($.strategy_list, $.list),
        alias($.strategy_parenthesized, $.parenthesized),
        $.tuple,
        $.quotation,
        $.anonymous_rule,
        $.with,
      ),
    strategy_list: ($) => seq("[", optional(commaSep1($._strategy)), close($, "]")),
    strategy_parenthesized: ($) => seq("(", $._strategy, close($, ")")),
    tuple: ($) => seq("(", $._strategy, ",", commaSep1($._strategy), close($, ")")),
    quotation: ($) => prec(1, seq("rise", "{", field("term", $._expression), close($, "}"))),
    anonymous_rule: ($) => seq("rule", field("body", $.alternatives)),
    with: ($) =>
      seq(
        "with",
        field("normal_form", $._strategy_postfix),
        "{",
        field("body", $._strategy),
        close($, "}"),
      ),

    // ---- patterns of cases ----------------------------------------------------------------------

    _case_pattern: ($) => choice($.cons_pattern, $._case_atom),
    cons_pattern: ($) =>
      prec.right(seq(field("head", $._case_atom), "::", field("tail", $._case_pattern))),
    _case_atom: ($) =>
      choice(
        alias($.case_list, $.list_pattern),
        $.node_pattern,
        $.string,
        $._pattern_term,
      ),
    case_list: ($) => seq("[", optional(commaSep1($._case_pattern)), close($, "]")),
    node_pattern: ($) =>
      choice(
        ...NODES.map(([name, parts]) =>
          prec(1, seq(field("node", alias(name, $.node)), called($, ...casePatterns($, parts)))),
        ),
        // The `(` of functions need not touch them, and only its `=>` tells one of RISE.
        seq(field("node", alias("fun", $.node)), "(", ...casePatterns($, 2), close($, ")")),
      ),

    // ---- types of strategies --------------------------------------------------------------------

    _strategy_type: ($) =>
      choice(alias($.strategy_function_type, $.function_type), $._strategy_type_atom),
    strategy_function_type: ($) =>
      prec.right(
        seq(field("parameter", $._strategy_type_atom), "->", field("result", $._strategy_type)),
      ),
    _strategy_type_atom: ($) =>
      choice($.type_name, $.generic_type, $.product_type, noOperand($)),
    type_name: ($) => choice($.identifier, $.quoted_identifier, $.kind),
    generic_type: ($) =>
      seq(field("name", $.type_name), "[", commaSep1($._strategy_type), close($, "]")),
    product_type: ($) => seq("(", optional(commaSep1($._strategy_type)), close($, ")")),

    // ---- terms of RISE --------------------------------------------------------------------------

    // `! n < m` as a condition negates the comparison.
    expression_negation: (_, previous) => prec(-2, previous),
    // The functions of rules take no pattern, and `let` defines no function.
    _binder: ($) => $._name,
    _bound: ($) => field("name", $._name),

    expression_let: ($, previous) => choice(previous, seq("let", $._or_name)),
    argument_let: ($, previous) => choice(previous, seq("let", $._or_name)),
    arguments: ($) => called($, commaSep1($._argument)),
    type_arguments: ($) => called($, commaSep1($._type_or_size)),

    _name: ($) => choice($.identifier, $.quoted_identifier, $.metavariable),
    quoted_identifier: (_) => QUOTED,
    metavariable: (_) => /\?[_\p{XID_Start}]\p{XID_Continue}*/,
  },
});
