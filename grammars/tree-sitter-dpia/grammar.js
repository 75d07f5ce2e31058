/**
 * @file DPIA: RISE with the types of phrases and with commands
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const rise = require("../tree-sitter-rise/grammar");
const { close, cutOff, noOperand } = require("../common/rules");

const WORDS = ["if", "else", "skip"];
const PHRASE_TYPES = ["Exp", "Acc", "Comm"];
const ACCESSES = ["Rd", "Wr", "St"];
const KIND = "ReadWrite";

/**
 * Assignments and sequences, as they are in an argument or elsewhere; see `expressions` in the
 * grammar of RISE for why there are two of each. They are looser than every operator, and a `let`
 * that ends one reaches as far to the right as it can.
 */
function commands(place, last) {
  const value = ($) => choice($[`_${place}_apply`], $[`_${place}_let_shown`]);
  const command = ($) =>
    choice(prec(-1, $[`_${place}_apply`]), alias($[`${place}_assignment`], $.assignment));
  return {
    [`${place}_assignment`]: ($) =>
      seq(field("acceptor", $[`_${place}_apply`]), "=", field("value", value($))),
    // The last `;` separates nothing, and may still be written.
    [`${place}_sequence`]: ($) =>
      prec.right(
        seq(
          repeat1(seq(command($), ";")),
          optional(choice(command($), last($), $._sequence_end)),
        ),
      ),
    [`_${place}_command`]: ($) =>
      choice(
        prec(-1, alias($[`${place}_assignment`], $.assignment)),
        prec(-1, alias($[`${place}_sequence`], $.sequence)),
      ),
  };
}

module.exports = grammar(rise, {
  name: "dpia",

  // The last one ends a sequence behind its last `;` where the next item begins.
  externals: ($, previous) => [...previous, $._sequence_end],

  reserved: {
    global: (_, previous) => [...previous, ...WORDS, ...PHRASE_TYPES, ...ACCESSES, KIND],
  },

  rules: {
    // ---- commands -----------------------------------------------------------------------------

    _expression: ($, previous) => choice(previous, $._expression_command),
    ...commands("expression", ($) => alias($.expression_let, $.let)),

    _argument: ($) => choice($._pure_argument, $._argument_command),
    _pure_argument: ($) =>
      choice(
        alias($.argument_let, $.let),
        alias($.argument_function_type, $.function_type),
        alias($.argument_dependent_function_type, $.dependent_function_type),
        alias($.argument_implicit_function_type, $.implicit_function_type),
        prec(-1, $._argument_apply),
      ),
    ...commands("argument", ($) =>
      choice(
        alias($.argument_let, $.let),
        alias($.argument_function_type, $.function_type),
        alias($.argument_dependent_function_type, $.dependent_function_type),
        alias($.argument_implicit_function_type, $.implicit_function_type),
      ),
    ),

    // Annotations hold no commands.
    _annotation_value: ($) => choice($._pure_argument, $.divides, $.string, $.list),
    list: ($) =>
      seq("[", optional(seq($._pure_argument, repeat(seq(",", $._pure_argument)))), close($, "]")),

    _primary: ($, previous) =>
      choice(previous, $.conditional, $.skip, $._phrase_type, $.access),

    conditional: ($) =>
      seq(
        "if",
        choice(
          seq(
            "(",
            field("condition", choice(alias($.expression_let, $.let), $._expression_apply)),
            choice(
              seq(
                ")",
                choice(
                  seq(
                    field("consequence", $.block),
                    choice(
                      seq("else", choice(field("alternative", $.block), cutOff($))),
                      cutOff($),
                    ),
                  ),
                  cutOff($),
                ),
              ),
              cutOff($),
            ),
          ),
          cutOff($),
        ),
      ),
    block: ($) => seq("{", $._expression, close($, "}")),
    skip: (_) => "skip",

    // ---- types --------------------------------------------------------------------------------

    _type_atom: ($, previous) => choice(previous, $._phrase_type),

    _phrase_type: ($) => choice($.expression_type, $.acceptor_type, $.command_type),
    expression_type: ($) =>
      seq(
        "Exp",
        "[",
        field("data", $._type_or_size),
        choice(
          seq(",", field("access", choice($.access, $.identifier, $.hole, noOperand($))), close($, "]")),
          cutOff($),
        ),
      ),
    acceptor_type: ($) => seq("Acc", "[", field("data", $._type_or_size), close($, "]")),
    command_type: (_) => "Comm",

    access: (_) => choice(...ACCESSES),
    kind: (_, previous) => choice(previous, KIND),
  },
});
