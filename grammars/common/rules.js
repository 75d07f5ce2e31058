/**
 * @file What the grammars of RISE and DPIA write their rules with
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

/** A closing bracket, or what stands for it where the next item begins: see `src/scanner.c`. */
const close = ($, bracket) => choice(bracket, cutOff($));

/** What stands for the rest of something that the next item cuts off. */
const cutOff = ($) => alias($._missing_close, $.missing);

/** What stands for an operand that the next item cuts off. */
const noOperand = ($) => alias($._missing_operand, $.missing);

/** One or more, with commas between them. */
const commaSep1 = (rule) => seq(rule, repeat(seq(",", rule)));

/** `a, b]`, as far as it is there. */
const components = ($, first, second, component, bracket) =>
  seq(
    field(first, component),
    choice(seq(",", field(second, component), close($, bracket)), cutOff($)),
  );

/** `=> body)`, as far as it is there. */
const functionBody = ($, body, bracket = ")") =>
  choice(
    seq("=>", field("body", body), close($, bracket)),
    cutOff($),
  );

/** `) -> result`, as far as it is there. */
const functionResult = ($, bracket, result) =>
  choice(seq(bracket, choice(seq("->", field("result", result)), cutOff($))), cutOff($));

/** `left op right` with the names that queries rely on. */
const infix = (left, operator, right) =>
  seq(field("left", left), field("operator", operator), field("right", right));

module.exports = {
  close, commaSep1, components, cutOff, functionBody, functionResult, infix, noOperand,
};
