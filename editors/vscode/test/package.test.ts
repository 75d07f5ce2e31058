// What the manifest and the language configuration promise.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { LANGUAGES } from "../src/languages";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const language = JSON.parse(readFileSync("language-configuration.json", "utf8"));
const elevate = JSON.parse(readFileSync("elevate-configuration.json", "utf8"));
const sources = ["extension", "session", "library"]
  .map((name) => readFileSync(`src/${name}.ts`, "utf8"))
  .join("\n");

test("every command is registered", () => {
  for (const { command } of manifest.contributes.commands) {
    assert.ok(sources.includes(`registerCommand("${command}"`), command);
  }
});

test("files that the manifest names are there", () => {
  const { languages, grammars } = manifest.contributes;
  for (const { configuration, icon } of languages) {
    for (const file of [configuration, icon.light, icon.dark]) assert.ok(existsSync(file), file);
  }
  for (const { path } of grammars) assert.ok(existsSync(path), path);
});

test("the languages of the manifest are those that the server gets", () => {
  const named = manifest.contributes.languages.map(({ id }: { id: string }) => id);
  assert.deepEqual(named, LANGUAGES);
  assert.deepEqual(
    manifest.contributes.grammars.map(({ language }: { language: string }) => language),
    LANGUAGES,
  );
});

test("a setting is described once", () => {
  const text = readFileSync("package.json", "utf8");
  for (const name of Object.keys(manifest.contributes.configuration.properties)) {
    assert.equal(text.split(`"${name}": {`).length, 2, name);
  }
});

test("the README lists each setting once, with its default", () => {
  const rows = readFileSync("README.md", "utf8").split("\n").filter((line) => line.startsWith("| `rise."));
  const listed = rows.flatMap((row) => {
    const [, names = "", value = ""] = row.split("|").map((cell) => cell.trim());
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, value.replaceAll("`", "")]);
  });
  const properties: Record<string, { default: unknown }> = manifest.contributes.configuration.properties;
  const declared = Object.entries(properties).map(([name, { default: value }]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  assert.deepEqual(listed.sort(), declared.sort());
});

test("versions of dependencies are exact", () => {
  for (const [name, version] of Object.entries(manifest.devDependencies)) {
    assert.match(String(version), /^\d+\.\d+\.\d+$/, name);
  }
});

test("a workspace that is not trusted cannot choose the server", () => {
  const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  assert.equal(supported, "limited");
  assert.deepEqual(restrictedConfigurations, ["rise.server.path", "rise.run.enabled"]);
});

/** Compiles a pattern of a language configuration as VS Code does: a string has no flags. */
function compiled(pattern: string | { pattern: string; flags?: string }, more = ""): RegExp {
  const { pattern: source, flags = "" } = typeof pattern === "string" ? { pattern } : pattern;
  return new RegExp(source, flags + more);
}

const matches = (pattern: string, line: string): boolean => compiled(pattern).test(line);

test("lines that open something indent the next", () => {
  const { increaseIndentPattern: opens, decreaseIndentPattern: closes } =
    language.indentationRules;
  for (const line of ["def f =", "depFun(n: Nat =>", "  map(", "  x + ( // why"]) {
    assert.ok(matches(opens, line), line);
  }
  for (const line of ["  x |> f", "// def f =", "def f = g(x)"]) {
    assert.ok(!matches(opens, line), line);
  }
  assert.ok(matches(closes, "  ))"));
});

test("so do they in ELEVATE", () => {
  const { increaseIndentPattern: opens } = elevate.indentationRules;
  for (const line of ["rule f =", "  map(f) |->", "p => p match {", "  if n > 0 then", "  apply"]) {
    assert.ok(matches(opens, line), line);
  }
  for (const line of ["  case x => f(x)", "  a ; b", "// rule f =", "  expect x"]) {
    assert.ok(!matches(opens, line), line);
  }
});

test("lines that begin something of the file are not indented", () => {
  const { decreaseIndentPattern: outer } = language.indentationRules;
  for (const line of ["  def f", "  foreign def g", '  import "a.rise"', "  @run(n = 4)", "  /// Text", "  def "]) {
    assert.ok(matches(outer, line), line);
  }
  for (const line of ["  define(x)", "  def", "  |> map(f)", "  x // def", "  // text"]) {
    assert.ok(!matches(outer, line), line);
  }
  const { decreaseIndentPattern: outerInElevate } = elevate.indentationRules;
  for (const line of ["  val x", "  rule f", "  unsafe rule f", "  strategy s", "  @hidden", "  /// Text"]) {
    assert.ok(matches(outerInElevate, line), line);
  }
  for (const line of ["  values ; x", "  @ inLambda", "  `@` f", "  rule"]) {
    assert.ok(!matches(outerInElevate, line), line);
  }
});

test("a definition ends at an empty line, unless brackets are still to be closed", () => {
  for (const { onEnterRules } of [language, elevate]) {
    const [{ beforeText, afterText, action }] = onEnterRules;
    assert.deepEqual(action, { indent: "none", removeText: 1000 });
    assert.ok(matches(beforeText, "    ") && matches(afterText, ""));
    assert.ok(!matches(afterText, "))") && !matches(beforeText, "  x"));
  }
});

test("a bracket that is typed is the one that has closed itself", () => {
  for (const name of LANGUAGES) {
    assert.equal(manifest.contributes.configurationDefaults[`[${name}]`]["editor.autoClosingOvertype"], "always");
  }
});

test("a line break in documentation continues it, and one behind it does not", () => {
  for (const { onEnterRules } of [language, elevate]) {
    const first = (before: string, after: string) =>
      onEnterRules.find(
        (rule: { beforeText: string; afterText?: string }) =>
          matches(rule.beforeText, before) && (rule.afterText === undefined || matches(rule.afterText, after)),
      );
    assert.equal(first("  /// text", " and more").action.appendText, "/// ");
    assert.equal(first("  /// text", ""), undefined);
    assert.equal(first("  //// text", " and more"), undefined);
  }
});

test("a line break before brackets that close themselves keeps what follows indented", () => {
  for (const { onEnterRules } of [language, elevate]) {
    const indent = (before: string) =>
      onEnterRules.find(
        (rule: { beforeText: string; afterText?: string }) =>
          matches(rule.beforeText, before) && (rule.afterText === undefined || matches(rule.afterText, "))")),
      )?.action.indent;
    assert.equal(indent("def f = fun(xs: 4.f32 =>"), "indent");
    assert.equal(indent("    |> map(f)"), "none");
    assert.equal(indent("  map("), undefined);
  }
});

test("words are names and numbers", () => {
  const word = compiled(language.wordPattern, "g");
  assert.deepEqual("map(größe_2, -1.5f32)._1".match(word), ["map", "größe_2", "-1.5f32", "_1"]);
  const inElevate = compiled(elevate.wordPattern, "g");
  assert.deepEqual("`map -> mapSeq`(?f) ; x".match(inElevate), ["`map -> mapSeq`", "f", "x"]);
});

test("words and types look alike before and after the server has answered", () => {
  const root = (scope: string): string => scope.split(".").slice(0, 2).join(".");
  const grammars = ["rise", "dpia", "elevate"].map((name) => readFileSync(`syntaxes/${name}.tmLanguage.json`, "utf8"));
  const named = grammars.flatMap((text) => [...text.matchAll(/"name": "([\w.-]+)"/g)].map(([, scope]) => scope ?? ""));
  const words = named.filter((scope) => /^(keyword|storage)\./.test(scope) && !scope.startsWith("keyword.operator"));
  for (const { scopes } of manifest.contributes.semanticTokenScopes) {
    assert.deepEqual(words.filter((scope) => root(scope) !== root(scopes.keyword[0])), []);
    assert.equal(root(scopes.type[0]), "support.type");
    assert.deepEqual(scopes["type.defaultLibrary"], scopes.type);
  }
});
