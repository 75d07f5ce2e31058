import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, setting } from "../src/device";
import { annotatedSizes, brief, definitionAt, firstLine, inline, isNews, notice, page, report, type RunResult, seconds, short, sizes, sizesOf, verdict } from "../src/result";

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

test("a program that could not be compiled says why", () => {
  const fallback = "`map` does not say how it is computed";
  const run = { ...done, backend: "interp", fallback };
  assert.equal(inline(run, 80), "= 20.0  (12.3 µs, interpreted, not compiled, n = 4)");
  assert.equal(short(run, 80), "= 20.0  (12.3 µs, interpreted)");
  assert.equal(report(run)[1], `not compiled: ${fallback}`);
});

test("a verdict counts what is not a number", () => {
  const verify = { ok: true, compared: 4, wrong: 0, nan: 2, infinite: 1, first: null };
  assert.equal(verdict(verify), "as in the interpreter, 2 NaN, 1 infinite");
  assert.equal(verdict({ ...verify, nan: 0, infinite: 0 }), "as in the interpreter");
});

test("a result is shorter where there is little room", () => {
  assert.equal(short({ ...done, text: "[1, 2,\n 3]" }, 5), "= [1, …  (12.3 µs)");
  const verify = { ok: false, compared: 4, wrong: 1, first: null };
  assert.equal(short({ ...done, verify }, 5), "= 20.0  (12.3 µs, WRONG in 1 of 4 places)");
  assert.equal(short({ error: "no sizes\nat all" }, 80), "✗ no sizes");
});

test("a result stands above the documentation and the annotations of its definition", () => {
  const lines = ["def f = 1", "/// Doubles.", "@run(n = 4)", "def g = 2"];
  assert.equal(firstLine(lines, 3), 1);
  assert.equal(firstLine(lines, 0), 0);
  assert.equal(page(done), "dot (12.3 µs, C, n = 4)\n20.0\n");
});

test("a run on a device says what the device did", () => {
  const times = { runs: 11, min: 9e-5, median: 1e-4, max: 3e-4, gflops: 250, gigabytes: 1500 };
  const verify = { ok: true, compared: 1, wrong: 0, first: null, worst: { error: 1.23e-7 } };
  const run: RunResult = {
    ...done,
    backend: "opencl",
    times,
    verify,
    device: { name: "Card", platform: "Platform" },
    kernels: [{ name: "dot", local: [128, 1, 1], global: [1024, 1, 1], time: 1e-4 }],
    transfers: { up: 0.002, down: 3e-6 },
    bandwidth: { copy: 3000, share: 0.5 },
  };
  assert.equal(
    inline(run, 80),
    "= 20.0  (100 µs, 250 GFLOP/s, 1500 GB/s, 50% of what copying reaches, " +
      "as in the interpreter, within 1.2e-7, OpenCL on Card, n = 4)",
  );
  assert.deepEqual(report(run).slice(2), [
    "11 runs: min 90 µs, median 100 µs, max 300 µs; 1500 GB/s",
    "dot: 100 µs, 1024×1×1 work-items in groups of 128×1×1",
    "copying in the device's memory reaches 3000 GB/s",
    "not counted: 2 ms to the device, 3 µs back",
  ]);
  assert.equal(brief(run), "dot 100 µs");
  assert.equal(brief({ ...run, verify: { ...verify, ok: false } }), "✗ dot 100 µs");
  assert.equal(brief({ error: "no device" }), "✗ run");
});

test("devices are told apart by what they have", () => {
  const device = { name: "Card", platform: "Platform", computeUnits: 132, localMemory: 49152, workGroup: 1024 };
  assert.deepEqual(describe(device), {
    label: "Card",
    detail: "Platform, 132 compute units, 48 kB of local memory, work-groups up to 1024",
  });
  const twins = [{ ...device, number: 0 }, { ...device, number: 1 }];
  assert.deepEqual(twins.map((twin) => setting(twin, twins)), ["#0", "#1"]);
  assert.equal(setting({ ...device, number: 0 }, [{ ...device, number: 0 }]), "Card");
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
  assert.deepEqual(report({ error: "no", errors }), ["/a.rise:2: no"]);
});

test("a notification says what to do", () => {
  const range = { start: { line: 1, character: 0 } };
  const message = "no `map`\nhelp: write `mapSeq`";
  const errors = [{ uri: "file:///a.rise", message, range }];
  assert.equal(notice({ error: "no `map`", errors }), "no `map`; write `mapSeq`");
  assert.equal(notice({ error: "no sizes\nat all" }), "no sizes");
});

test("times have units, and sizes are read as people write them", () => {
  assert.deepEqual([2, 0.5, 3e-8].map(seconds), ["2 s", "500 ms", "30 ns"]);
  assert.deepEqual(sizes("n = 4, m=5; k = 6"), { n: 4, m: 5, k: 6 });
  assert.deepEqual(sizes("n = four"), {});
  assert.deepEqual(sizesOf(["n"], " 4 "), { n: 4 });
  assert.deepEqual(sizesOf(["n"], "n = 4"), { n: 4 });
  assert.deepEqual(sizesOf(["n", "m"], "4"), {});
  assert.deepEqual(sizesOf(["n"], "four"), {});
});

test("a line belongs to the definition that it documents, or stands in", () => {
  const lines = ["/// One.", "@run(n = 4)", "def one(n: Nat) =", "  1", "", "/// Two.", "def two = 2"];
  const found = lines.map((_, line) => definitionAt(lines, line));
  assert.deepEqual(found, ["one", "one", "one", "one", "one", "two", "two"]);
  assert.equal(definitionAt(["import \"a.rise\""], 0), undefined);
});

test("`@run` says the sizes of the definition below it", () => {
  const lines = ["@run(n = 8)", "def one = 1", "", "@target(c)", "@run(n = 4, m = 5)", "/// Two.", "def two = 2", "def three = 3"];
  assert.deepEqual(annotatedSizes(lines, 6), { n: 4, m: 5 });
  assert.deepEqual(annotatedSizes(lines, 1), { n: 8 });
  assert.deepEqual(annotatedSizes(lines, 7), {});
});
