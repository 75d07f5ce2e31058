import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, isNews, report, type RunResult, seconds, sizes } from "../src/result";

const done: RunResult = {
  def: "dot",
  backend: "c",
  sizes: { n: 4 },
  text: "20.0",
  printed: "",
  elapsed: 1.234e-5,
  times: null,
  verify: null,
};

test("a result stands behind its definition in a line", () => {
  assert.equal(inline(done, 80), "= 20.0  (12.3 µs, C, n = 4)");
  const times = { runs: 3, min: 1e-3, median: 2e-3, max: 3e-3, gflops: 1.23456, gigabytes: 2 };
  const verify = { ok: true, compared: 1, wrong: 0, first: null };
  assert.equal(
    inline({ ...done, times, verify }, 80),
    "= 20.0  (2 ms, 1.23 GFLOP/s, as in the interpreter, C, n = 4)",
  );
  assert.equal(inline({ ...done, text: "[1, 2,\n 3]" }, 5), "= [1, …  (12.3 µs, C, n = 4)");
  assert.equal(inline({ error: "no sizes\nat all" }, 80), "✗ no sizes");
});

test("what is wrong or was printed is news", () => {
  const first = { path: "[2]", actual: 1, expected: 2 };
  const wrong = { ...done, verify: { ok: false, compared: 4, wrong: 1, first } };
  assert.match(inline(wrong, 80), /WRONG in 1 of 4 places; \[2\] is 1, not 2/);
  assert.equal(isNews(wrong), true);
  assert.equal(isNews({ ...done, printed: "hello\n" }), true);
  assert.equal(isNews(done), false);
  assert.deepEqual(report({ ...done, printed: "hello\n" }).slice(1), ["hello", "20.0"]);
  const range = { start: { line: 1, character: 0 } };
  const errors = [{ uri: "file:///a.rise", message: "no", range }];
  assert.deepEqual(report({ error: "no", errors }), ["file:///a.rise:2: no"]);
});

test("times have units, and sizes are read as people write them", () => {
  assert.deepEqual([2, 0.5, 3e-8].map(seconds), ["2 s", "500 ms", "30 ns"]);
  assert.deepEqual(sizes("n = 4, m=5; k = 6"), { n: 4, m: 5, k: 6 });
  assert.deepEqual(sizes("n = four"), {});
});
