import assert from "node:assert/strict";
import { test } from "node:test";
import { commented, firstMade, innermost, made, type Part, type Range } from "../src/parts";

const range = (from: number, to: number): Range => ({
  start: { line: 0, character: from },
  end: { line: 0, character: to },
});

const parts: Part[] = [
  { source: range(0, 40), target: range(0, 100) },
  { source: range(10, 20), target: range(30, 60), origin: { primitive: "mapSeq", passes: ["loops: gone"] } },
  { source: range(12, 14), target: range(40, 45), origin: { primitive: "+", definition: "sum" } },
];

test("the smallest part around a place is found, on either side", () => {
  const at = (character: number) => ({ line: 0, character });
  assert.equal(innermost(parts, at(42), "target"), parts[2]);
  assert.equal(innermost(parts, at(50), "target"), parts[1]);
  assert.equal(innermost(parts, at(5), "target"), parts[0]);
  assert.equal(innermost(parts, at(13), "source"), parts[2]);
  assert.equal(innermost(parts, at(101), "target"), undefined);
  assert.equal(innermost(parts, { line: 1, character: 0 }, "source"), undefined);
});

test("a place says what made it", () => {
  const at = (character: number) => made(parts, { line: 0, character });
  assert.equal(at(50), "`mapSeq` (line 1)\n- loops: gone");
  assert.equal(at(42), "`+` in `sum`, used (line 1)\n- loops: gone");
  assert.equal(at(5), undefined);
  const pipeline = { start: { line: 3, character: 2 }, end: { line: 5, character: 27 } };
  const loop: Part = { source: pipeline, target: range(0, 9), origin: { primitive: "reduceSeq" } };
  assert.equal(made([loop], { line: 0, character: 4 }), "`reduceSeq` (lines 4–6)");
});

test("a preview begins where the first primitive made something", () => {
  assert.deepEqual(firstMade([...parts].reverse()), range(30, 60));
  assert.equal(firstMade(parts.slice(0, 1)), undefined);
});

test("an error in a preview names its line and is as wide as a page", () => {
  const message = `\`map\` does not say how it is computed ${"and so on ".repeat(6)}\n  expected: a`;
  const lines = commented({ message, range: { ...range(0, 1), start: { line: 4, character: 0 } } }).split("\n");
  assert.match(lines[0] ?? "", /^\/\/ line 5: `map` does not say/);
  assert.ok(lines.length === 3 && lines.every((line) => line.length <= 80), lines.join("\n"));
  assert.equal(lines[2], "//   expected: a");
});
