// The TextMate grammar, with the engine of VS Code.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as oniguruma from "vscode-oniguruma";
import * as textmate from "vscode-textmate";

/** The grammars of RISE, and of DPIA and ELEVATE, which include parts of it. */
async function grammars(): Promise<Record<"rise" | "dpia" | "elevate", textmate.IGrammar>> {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const name = /^source\.(rise|dpia|elevate)$/.exec(scope)?.[1];
      if (name === undefined) return null;
      const path = `syntaxes/${name}.tmLanguage.json`;
      return textmate.parseRawGrammar(readFileSync(path, "utf8"), path);
    },
  });
  const rise = await registry.loadGrammar("source.rise");
  const dpia = await registry.loadGrammar("source.dpia");
  const elevate = await registry.loadGrammar("source.elevate");
  assert.ok(rise && dpia && elevate);
  return { rise, dpia, elevate };
}

/** `word: scope` for every word that has one of its own. */
function scopes(loaded: textmate.IGrammar, text: string): string[] {
  let state = textmate.INITIAL;
  return text.split("\n").flatMap((line) => {
    const result = loaded.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens.flatMap(({ startIndex, endIndex, scopes: all }) => {
      const word = line.slice(startIndex, endIndex).trim();
      return word === "" || all.length < 2 ? [] : [`${word}: ${all.at(-1)}`];
    });
  });
}

const loaded = grammars();

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "a definition",
    "def mv : (n: Nat) -> n.f32 = x // end",
    [
      "def: keyword.control.def.rise",
      "mv: entity.name.function.rise",
      ":: punctuation.separator.rise",
      "n: entity.name.type.parameter.rise",
      ":: punctuation.separator.rise",
      "Nat: support.type.kind.rise",
      "->: keyword.operator.arrow.rise",
      "n: variable.other.rise",
      ".: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      "=: keyword.operator.assignment.rise",
      "x: variable.other.rise",
      "// end: comment.line.double-slash.rise",
    ],
  ],
  [
    "conditions behind a type, and a name that is spelt like their word",
    "def f : n.f32 where n >= 4 = where(where)",
    [
      "def: keyword.control.def.rise",
      "f: entity.name.function.rise",
      ":: punctuation.separator.rise",
      "n: variable.other.rise",
      ".: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      "where: keyword.control.where.rise",
      "n: variable.other.rise",
      ">=: keyword.operator.comparison.rise",
      "4: constant.numeric.integer.rise",
      "=: keyword.operator.assignment.rise",
      "where: entity.name.function.call.rise",
      "where: variable.other.rise",
    ],
  ],
  [
    "a pipeline",
    "xs |> map(f) |> toMem(Local)._1",
    [
      "xs: variable.other.rise",
      "|>: keyword.operator.pipeline.rise",
      "map: support.function.rise",
      "f: variable.other.rise",
      "|>: keyword.operator.pipeline.rise",
      "toMem: support.function.rise",
      "Local: constant.language.address-space.rise",
      ".: punctuation.accessor.rise",
      "_1: variable.other.property.rise",
    ],
  ],
  [
    "numbers",
    "3.3.f32 1.5f32 1e-6f 3natType 128i8 1f16 2",
    [
      "3.3: constant.numeric.float.rise",
      ".: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      "1.5f32: constant.numeric.float.rise",
      "1e-6f: constant.numeric.float.rise",
      "3natType: constant.numeric.integer.rise",
      "128i8: constant.numeric.integer.rise",
      "1f16: constant.numeric.float.rise",
      "2: constant.numeric.integer.rise",
    ],
  ],
  [
    "words that only begin like others",
    "define inner f322 mapping größe",
    [
      "define: variable.other.rise",
      "inner: variable.other.rise",
      "f322: variable.other.rise",
      "mapping: variable.other.rise",
      "größe: variable.other.rise",
    ],
  ],
  [
    "annotations, documentation, strings",
    '/// docs\n@strategy("a.elevate")',
    [
      "/// docs: comment.line.documentation.rise",
      "@: punctuation.definition.decorator.rise",
      "strategy: entity.name.function.decorator.rise",
      '": string.quoted.double.rise',
      "a.elevate: string.quoted.double.rise",
      '": string.quoted.double.rise',
    ],
  ],
  [
    "a C body over several lines ends where it ends",
    'foreign def f(x: f32): f32 = """{\n  return "def";\n}""" let',
    [
      "foreign: keyword.control.foreign.rise",
      "def: keyword.control.def.rise",
      "f: entity.name.function.rise",
      "x: variable.other.rise",
      ":: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      ":: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      "=: keyword.operator.assignment.rise",
      '""": string.quoted.triple.begin.rise',
      "{: meta.embedded.block.c.rise",
      'return "def";: meta.embedded.block.c.rise',
      "}: meta.embedded.block.c.rise",
      '""": string.quoted.triple.end.rise',
      "let: keyword.control.let.rise",
    ],
  ],
];

for (const [name, text, expected] of cases) {
  test(name, async () => assert.deepEqual(scopes((await loaded).rise, text), expected));
}

const dpia: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "phrase types",
    "def f : {a: ReadWrite} -> Acc[n.f32] -> Exp[n.f32, a] -> Comm = x",
    [
      "def: keyword.control.def.rise",
      "f: entity.name.function.rise",
      ":: punctuation.separator.rise",
      "a: entity.name.type.parameter.dpia",
      ":: punctuation.separator.dpia",
      "ReadWrite: support.type.kind.dpia",
      "->: keyword.operator.arrow.rise",
      "Acc: support.type.phrase.dpia",
      "n: variable.other.rise",
      ".: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      "->: keyword.operator.arrow.rise",
      "Exp: support.type.phrase.dpia",
      "n: variable.other.rise",
      ".: punctuation.separator.rise",
      "f32: support.type.scalar.rise",
      ",: punctuation.separator.rise",
      "a: variable.other.rise",
      "->: keyword.operator.arrow.rise",
      "Comm: support.type.phrase.dpia",
      "=: keyword.operator.assignment.rise",
      "x: variable.other.rise",
    ],
  ],
  [
    "commands",
    "for(n, fun(i => if (x) { skip } else { out = idxAcc(i, o) })); split(n, Rd) // end",
    [
      "for: support.function.dpia",
      "n: variable.other.rise",
      ",: punctuation.separator.rise",
      "fun: keyword.control.function.rise",
      "i: variable.other.rise",
      "=>: keyword.operator.arrow.rise",
      "if: keyword.control.conditional.dpia",
      "x: variable.other.rise",
      "skip: keyword.control.skip.dpia",
      "else: keyword.control.conditional.dpia",
      "out: variable.other.rise",
      "=: keyword.operator.assignment.rise",
      "idxAcc: support.function.dpia",
      "i: variable.other.rise",
      ",: punctuation.separator.rise",
      "o: variable.other.rise",
      ";: punctuation.terminator.command.dpia",
      "split: support.function.dpia",
      "n: variable.other.rise",
      ",: punctuation.separator.rise",
      "Rd: constant.language.access.dpia",
      "// end: comment.line.double-slash.rise",
    ],
  ],
];

for (const [name, text, expected] of dpia) {
  test(`DPIA: ${name}`, async () =>
    assert.deepEqual(scopes((await loaded).dpia, text), expected));
}

const elevate: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "a schedule, with its operators in backquotes and without",
    "toMapLocal `@` outermost(isMap) `;`\n(DFNF ;; every(s)) <+ `map -> mapSeq`",
    [
      "toMapLocal: variable.other.rise",
      "`@`: keyword.operator.combinator.elevate",
      "outermost: support.function.traversal.elevate",
      "isMap: variable.other.rise",
      "`;`: keyword.operator.combinator.elevate",
      "DFNF: variable.other.rise",
      ";;: keyword.operator.combinator.elevate",
      "every: support.function.traversal.elevate",
      "s: variable.other.rise",
      "<+: keyword.operator.combinator.elevate",
      "`map -> mapSeq`: entity.name.function.quoted.elevate",
    ],
  ],
  [
    "a rule",
    '@title("Fuse maps") unsafe rule fuse(n: Nat = 4) = map(f) : m.s -> t |-> ?f >> x ↦ y where x notIn f and not within(map)',
    [
      "@: punctuation.definition.decorator.elevate",
      "title: entity.name.function.decorator.elevate",
      '": string.quoted.double.rise',
      "Fuse maps: string.quoted.double.rise",
      '": string.quoted.double.rise',
      "unsafe: keyword.control.unsafe.elevate",
      "rule: keyword.control.rule.elevate",
      "fuse: entity.name.function.rule.elevate",
      "n: entity.name.type.parameter.rise",
      ":: punctuation.separator.rise",
      "Nat: support.type.kind.rise",
      "=: keyword.operator.assignment.rise",
      "4: constant.numeric.integer.rise",
      "=: keyword.operator.assignment.rise",
      "map: support.function.rise",
      "f: variable.other.rise",
      ":: punctuation.separator.rise",
      "m: variable.other.rise",
      ".: punctuation.separator.rise",
      "s: variable.other.rise",
      "->: keyword.operator.arrow.rise",
      "t: variable.other.rise",
      "|->: keyword.operator.rewrite.elevate",
      "?f: variable.other.metavariable.elevate",
      ">>: keyword.operator.pipeline.rise",
      "x: variable.other.rise",
      "↦: keyword.operator.rewrite.elevate",
      "y: variable.other.rise",
      "where: keyword.control.clause.elevate",
      "x: variable.other.rise",
      "notIn: keyword.operator.word.elevate",
      "f: variable.other.rise",
      "and: keyword.operator.word.elevate",
      "not: keyword.operator.word.elevate",
      "within: entity.name.function.call.rise",
      "map: support.function.rise",
    ],
  ],
  [
    "the other items",
    'import "a.elevate"\nstrategy try(s: Strategy): List[Nat] = s\npred isMap = map\nnormalform BENF = id\ntune s : Nat\nexample "a" { input x apply y expect failure }\nlanguage rise',
    [
      "import: keyword.control.import.elevate",
      '": string.quoted.double.rise',
      "a.elevate: string.quoted.double.rise",
      '": string.quoted.double.rise',
      "strategy: keyword.control.definition.elevate",
      "try: entity.name.function.strategy.elevate",
      "s: variable.other.rise",
      ":: punctuation.separator.rise",
      "Strategy: support.type.elevate",
      ":: punctuation.separator.rise",
      "List: support.type.elevate",
      "Nat: support.type.kind.rise",
      "=: keyword.operator.assignment.rise",
      "s: variable.other.rise",
      "pred: keyword.control.definition.elevate",
      "isMap: entity.name.function.predicate.elevate",
      "=: keyword.operator.assignment.rise",
      "map: support.function.rise",
      "normalform: keyword.control.definition.elevate",
      "BENF: entity.name.function.normal-form.elevate",
      "=: keyword.operator.assignment.rise",
      "id: support.function.combinator.elevate",
      "tune: keyword.control.definition.elevate",
      "s: entity.name.type.parameter.elevate",
      ":: punctuation.separator.rise",
      "Nat: support.type.kind.rise",
      "example: keyword.control.example.elevate",
      '": string.quoted.double.rise',
      "a: string.quoted.double.rise",
      '": string.quoted.double.rise',
      "input: keyword.control.example.elevate",
      "x: variable.other.rise",
      "apply: keyword.control.example.elevate",
      "y: variable.other.rise",
      "expect: keyword.control.example.elevate",
      "failure: constant.language.elevate",
      "language: keyword.control.language.elevate",
      "rise: constant.language.elevate",
    ],
  ],
  [
    "matching, and terms of RISE",
    "p => p match { case fun(x => b) if and(x) => rise { fun(y => 1.0f) } case n :: ms => fail }",
    [
      "p: variable.other.rise",
      "=>: keyword.operator.arrow.rise",
      "p: variable.other.rise",
      "match: keyword.control.match.elevate",
      "case: keyword.control.match.elevate",
      "fun: keyword.control.function.rise",
      "x: variable.other.rise",
      "=>: keyword.operator.arrow.rise",
      "b: variable.other.rise",
      "if: keyword.control.conditional.elevate",
      "and: support.function.rise",
      "x: variable.other.rise",
      "=>: keyword.operator.arrow.rise",
      "rise: keyword.control.term.elevate",
      "fun: keyword.control.function.rise",
      "y: variable.other.rise",
      "=>: keyword.operator.arrow.rise",
      "1.0f: constant.numeric.float.rise",
      "case: keyword.control.match.elevate",
      "n: variable.other.rise",
      "::: keyword.operator.list.elevate",
      "ms: variable.other.rise",
      "=>: keyword.operator.arrow.rise",
      "fail: support.function.combinator.elevate",
    ],
  ],
];

for (const [name, text, expected] of elevate) {
  test(`ELEVATE: ${name}`, async () =>
    assert.deepEqual(scopes((await loaded).elevate, text), expected));
}
