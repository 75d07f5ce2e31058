import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { candidates, expand, find, NoServer, type Surroundings, version } from "../src/server";

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
  ]);
  assert.deepEqual(candidates(around({ platform: "win32" })), [
    { command: "rise-ls.exe", origin: "PATH" },
  ]);
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
