import assert from "node:assert/strict";
import { test } from "node:test";
import {
  call,
  described,
  explanation,
  filled,
  firstSentence,
  isAsked,
  misfit,
  neighbour,
  position,
  rows,
  sentence,
  signature,
  type Step,
  stopsOf,
  type Strategy,
  title,
  TRAVERSALS,
} from "../src/strategies";

const step = (rule: string): Step => ({
  rule,
  count: 1,
  housekeeping: false,
  strategies: [],
  before: "a",
  after: "b",
  assumptions: [],
});
const tidying = (rule: string, count: number): Step => ({ ...step(rule), count, housekeeping: true });

const steps = [
  tidying("BENF", 2),
  step("splitJoin(32)"),
  tidying("BENF", 3),
  tidying("DFNF", 1),
  step("mapFusion"),
  step("toMapSeq"),
];

test("what tidies up is one row", () => {
  const shown = rows(steps).map((row) =>
    row.kind === "step" ? `${row.number} ${row.step.rule} @${row.done}` : `${row.count} tidying @${row.done}`,
  );
  assert.deepEqual(shown, [
    "2 tidying @1",
    "1 splitJoin(32) @2",
    "4 tidying @4",
    "2 mapFusion @5",
    "3 toMapSeq @6",
  ]);
});

test("one goes from step to step, with what tidies up after it", () => {
  assert.deepEqual(stopsOf(steps), [0, 4, 5, 6]);
  assert.deepEqual(stopsOf([tidying("BENF", 1)]), [0, 1]);
  assert.deepEqual(stopsOf([]), [0]);
  assert.equal(neighbour(steps, 0, "next"), 4);
  assert.equal(neighbour(steps, 2, "next"), 4);
  assert.equal(neighbour(steps, 6, "next"), 6);
  assert.equal(neighbour(steps, 5, "previous"), 4);
  assert.equal(neighbour(steps, 0, "previous"), 0);
});

test("a place among the steps has a name", () => {
  assert.equal(position(steps, 0), "before step 1 of 3");
  assert.equal(position(steps, 1), "before step 1 of 3");
  assert.equal(position(steps, 4), "step 1 of 3: splitJoin(32)");
  assert.equal(position(steps, 6), "step 3 of 3: toMapSeq");
});

test("strategies are written with what they take", () => {
  assert.equal(call("mapFusion", []), "mapFusion");
  assert.equal(call("tile", [["32", "4"], ["[0, 1]"]]), "tile(32, 4)([0, 1])");
  assert.equal(call("slide", [[undefined], ["4"]]), "slide(4)");
  assert.equal(call("map -> mapSeq", []), "`map -> mapSeq`");
  assert.deepEqual(
    TRAVERSALS.map(({ wrap }) => wrap("splitJoin(32)")),
    ["topDown(splitJoin(32))", "bottomUp(splitJoin(32))", "normalize(splitJoin(32))", "splitJoin(32)"],
  );
});

test("an argument of another kind is refused before the server is asked", () => {
  assert.equal(misfit("Nat", "n/4"), undefined);
  assert.equal(misfit("Nat", "32"), undefined);
  assert.match(misfit("Nat", "x; y") ?? "", /a size/);
  assert.match(misfit("Int", "4.5") ?? "", /a whole number/);
  assert.match(misfit("List[Nat]", "32, 32") ?? "", /a list/);
  assert.match(misfit("Expr", "  ") ?? "", /nothing/);
});

test("a menu's line says what a strategy takes and does", () => {
  const strategy: Strategy = {
    name: "splitJoin",
    title: "Split into chunks of {n}",
    kind: "split",
    docs: "Takes an array in\nchunks. More of it.",
    rule: true,
    parameters: [
      [
        { name: "n", type: "Nat", optional: false },
        { name: "d", type: "Int", optional: true },
      ],
    ],
    uri: null,
    library: true,
  };
  assert.equal(title(strategy), "Split into chunks of n");
  assert.equal(signature(strategy), "(n: Nat, d: Int = …)");
  assert.equal(firstSentence(strategy.docs), "Takes an array in chunks.");
  assert.equal(firstSentence(null), "");
});

test("a step says what it did, for which strategy, and what it assumes", () => {
  const shown = described({
    ...step("splitJoin(32)"),
    strategies: ["tiling", "topDown"],
    assumptions: ["32 divides n"],
  });
  assert.equal(
    shown,
    "**splitJoin(32)**\n\nfor `tiling` › `topDown`\n\nbefore\n```rise\na\n```\n\nafter\n```rise\nb\n```\n\nassumes `32 divides n`",
  );
  assert.ok(!described(tidying("BENF", 3)).includes("before"));
});

test("what the server asks for is put into the strategy", () => {
  const values = new Map([["n", "32"], ["order", "[2, 1, 3]"]]);
  assert.equal(filled("at([0, 1])(splitJoin({n}))", values), "at([0, 1])(splitJoin(32))");
  assert.equal(filled("DFNF ; loopReorder({order})", values), "DFNF ; loopReorder([2, 1, 3])");
  assert.equal(filled("rule { map({f}) |-> {n} }", values), "rule { map({f}) |-> 32 }");
});

test("only what the server asks for is taken for it", () => {
  const asked = { uri: "file:///a.rise", def: "f", from: null, strategy: "all", parameters: [], loops: [] };
  assert.ok(isAsked(asked));
  for (const wrong of [null, 3, {}, { ...asked, loops: 3 }, { ...asked, def: null }]) assert.ok(!isAsked(wrong));
});

test("an explanation has every step", () => {
  const text = explanation({ title: "Fuse maps", strategy: "topDown(mapFusion)", steps });
  assert.ok(text.startsWith("# Fuse maps\n\n`topDown(mapFusion)`\n\n## Step 1"));
  assert.equal(text.match(/^## Step/gm)?.length, steps.length);
});

test("a message of several lines is one in a notification", () => {
  assert.equal(sentence("it fails\n  expected: a\n\nfound: b"), "it fails; expected: a; found: b");
});
