import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { candidates, expand, find, isPresent, NoServer, type Surroundings, version } from "../src/server";

const folder = mkdtempSync(path.join(tmpdir(), "rise-vscode-"));
after(() => rmSync(folder, { recursive: true }));

/** A program that prints `text`. */
function program(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${text}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const around = (change: Partial<Surroundings>): Surroundings => ({
  setting: "",
  workspaceFolder: undefined,
  extensionPath: path.join(folder, "nothing"),
  platform: "linux",
  env: { PATH: path.join(folder, "empty"), CARGO_HOME: path.join(folder, "cargo") },
  ...change,
});

test("a setting is the only candidate", () => {
  assert.deepEqual(candidates(around({ setting: " /opt/rise-ls " })), [
    { command: "/opt/rise-ls", origin: "setting" },
  ]);
});

test("the home and the workspace folder are filled in", () => {
  assert.equal(expand("~/bin/rise-ls", undefined), path.join(homedir(), "bin/rise-ls"));
  assert.equal(expand("${workspaceFolder}/rise-ls", "/home$&"), "/home$&/rise-ls");
  assert.equal(expand("/a/~/b", undefined), "/a/~/b");
});

test("the bundled server comes before the PATH", () => {
  const bundled = program("extension/server/rise-ls", "rise-ls 1.2.3");
  assert.deepEqual(candidates(around({ extensionPath: path.join(folder, "extension") })), [
    { command: bundled, origin: "bundled" },
    { command: "rise-ls", origin: "PATH" },
    { command: path.join(folder, "cargo/bin/rise-ls"), origin: "cargo" },
  ]);
  assert.deepEqual(candidates(around({ platform: "win32" })), [
    { command: "rise-ls.exe", origin: "PATH" },
    { command: path.join(folder, "cargo/bin/rise-ls.exe"), origin: "cargo" },
  ]);
});

test("the folder of cargo is in the home folder unless the environment names another one", () => {
  const [, last] = candidates(around({ env: {} }));
  assert.deepEqual(last, { command: path.join(homedir(), ".cargo/bin/rise-ls"), origin: "cargo" });
});

test("a server is found when it is installed by cargo, and when it appears on the PATH", async () => {
  const env = { PATH: path.join(folder, "late"), CARGO_HOME: path.join(folder, "rust") };
  assert.equal(isPresent(around({ env })), false);
  const installed = program("rust/bin/rise-ls", "rise-ls 0.2.0");
  assert.equal(isPresent(around({ env })), true);
  assert.deepEqual(await find(around({ env })), { command: installed, origin: "cargo", version: "0.2.0" });
  rmSync(installed);
  assert.equal(isPresent(around({ env })), false);
  program("late/rise-ls", "rise-ls 0.2.0");
  assert.equal(isPresent(around({ env })), true);
  assert.equal(isPresent(around({ env, setting: path.join(folder, "absent") })), false);
});

test("a server says its version", async () => {
  assert.equal(await version(program("rise-ls", "rise-ls 0.1.0")), "0.1.0");
  await assert.rejects(version(program("other", "other 0.1.0")), /another program/);
  await assert.rejects(version(path.join(folder, "absent")), /no such program/);
});

test("what was tried is said", async () => {
  const setting = path.join(folder, "absent");
  const error: unknown = await find(around({ setting })).catch((error: unknown) => error);
  assert.ok(error instanceof NoServer);
  assert.ok(error.isSetting);
  assert.equal(error.message, `${setting}: there is no such program`);
});

test("the server that runs is found", async () => {
  const setting = program("mine", "rise-ls 9.9.9");
  assert.deepEqual(await find(around({ setting })), {
    command: setting,
    origin: "setting",
    version: "9.9.9",
  });
});
