import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "../src/status";

test("numbers have units and names are words", () => {
  const status = {
    version: "0.1.0",
    memoryBytes: 3 << 20,
    textBytes: 1536,
    lastEditToDiagnosticsMicros: 1500,
    lastRequestMicros: { "textDocument/hover": 250 },
    requests: {},
    nothing: null,
  };
  assert.deepEqual(describe(status), [
    "version: 0.1.0",
    "memory: 3.0 MiB",
    "text: 1.5 KiB",
    "last edit to diagnostics: 1.50 ms",
    "last request:",
    "  textDocument/hover: 250",
  ]);
});
