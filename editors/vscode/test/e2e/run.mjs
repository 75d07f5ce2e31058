// The extension in a real VS Code, with the real server, as a person uses it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { compiled, DOT } from "./compiled.mjs";
import { open } from "./host.mjs";
import { firstHour, problems, withoutServer } from "./firsthour.mjs";
import { rewrites } from "./rewrites.mjs";
import { failed, shots, step } from "./step.mjs";
import { Window } from "./window.mjs";

const GOOD = `/// A matrix times a vector.
def mv = depFun((n: Nat, m: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[m, f32] =>
      M |> map(fun(row =>
        zip(row)(x)
          |> map(fun(ax => fst(ax) * snd(ax)))
          |> reduce(add)(0.0f))))))
`;
const WRONG = GOOD.replace("x: Array[m", "x: Array[n");
const LIBRARY = "def f = fun(xs: 4.f32 => dot(xs, xs))\n";
const UGLY = "def f = fun(  xs : 4 . f32   => xs|>map( fun(x=>x) ) )\n";

const SQUIGGLE = ".editor-instance .squiggly-error";

async function inTrustedWorkspace() {
  const files = { "good.rise": GOOD, "wrong.rise": WRONG, "library.rise": LIBRARY, "ugly.rise": UGLY };
  const { page, workspace, close } = await open({ files });
  const window = new Window(page, workspace);
  shots(page);
  try {
    await step("a file ending in .rise starts the extension", async () => {
      await window.openFile("wrong.rise");
      await window.sees(".statusbar-item", "RISE");
    });
    await step("a wrong size is underlined", () => page.waitForSelector(SQUIGGLE));
    await step("its hover says which sizes disagree", () =>
      window.hover("zip(row)(x)", "x", "`zip` expects the size `m` here, and this has `n`"),
    );
    await step("a correction takes the mark away", async () => {
      await window.click("fun(x: Array", "n, f32");
      await page.keyboard.press("Control+Shift+ArrowRight");
      await page.keyboard.type("m");
      await page.waitForSelector(SQUIGGLE, { state: "detached" });
      await window.saved("wrong.rise", (text) => text === GOOD);
    });
    await step("inlay hints say what each stage yields", async () => {
      await window.openFile("good.rise");
      await window.sees(".editor-instance .view-lines", "m.(f32, f32)");
      await window.sees(".editor-instance .view-lines", "m.f32");
    });
    await step("hover on a stage says its type", () => window.hover("|> map(fun(ax", "map", "m.f32"));
    await step("rename changes every use", async () => {
      await window.click("map(fun(row", "row");
      await page.keyboard.press("F2");
      await page.waitForSelector(".rename-box input:focus");
      await page.keyboard.press("Control+a");
      await page.keyboard.type("line");
      await page.keyboard.press("Enter");
      const text = await window.saved("good.rise", (text) => text.includes("zip(line)"));
      assert.equal(text, GOOD.replaceAll("row", "line"));
    });
    await step("formatting breaks a line where it should", async () => {
      await window.openFile("ugly.rise");
      await window.command("Format Document");
      await window.saved("ugly.rise", (text) => text === "def f = fun(xs: 4.f32 => xs |> map(fun(x => x)))\n");
    });
    await step("completion after |> offers stages", async () => {
      await window.click("def f", "def");
      await page.keyboard.press("Control+a");
      await page.keyboard.type("def g = fun(xs: 4.f32 => xs |> re");
      await page.keyboard.press("Control+Space");
      await window.sees(".suggest-widget.visible .monaco-list-row", "reduce");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
    });
    await step("definition leads into the library, which cannot be written", async () => {
      await window.openFile("library.rise");
      await window.click("dot(xs", "dot");
      await page.keyboard.press("F12");
      await window.sees(".editor-instance .view-lines", "def dot");
      await window.sees(".editor-instance .view-lines", "fun(p: (t, t) =>"); // hints, before texts are compared
      const before = await window.texts(".editor-instance .view-lines");
      await page.keyboard.type("x");
      await window.sees(".monaco-editor-overlaymessage", "read-only");
      assert.deepEqual(await window.texts(".editor-instance .view-lines"), before);
    });
    await step("the library has types on hover too", () => window.hover("def dot", "dot", "Num"));
    await step("the server can be started again", async () => {
      await window.openFile("library.rise");
      await window.command("RISE: Show Output");
      await window.sees(".panel .view-lines", "Starting");
      await window.command("RISE: Restart Server");
      await window.until("a second start", async () =>
        (await window.texts(".panel .view-lines")).some((text) => text.split("Starting").length > 2),
      );
      await window.command("RISE: Show Server Status");
      await window.sees(".panel .view-lines", "version: ");
    });
  } finally {
    await close();
  }
}

/** A workspace that brings a program of its own and names it as the server. */
async function inWorkspaceNotTrusted() {
  const files = {
    "wrong.rise": WRONG,
    "dot.rise": DOT,
    "server.sh": '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n',
    ".vscode/settings.json": JSON.stringify({ "rise.server.path": "${workspaceFolder}/server.sh" }),
  };
  const { page, workspace, close } = await open({ files, executable: ["server.sh"], trusted: false });
  const window = new Window(page, workspace);
  const ran = () => existsSync(path.join(workspace, "ran"));
  shots(page);
  try {
    await step("a workspace that is not trusted is served by the user's server", async () => {
      await page.getByRole("button", { name: "No, I don't trust" }).click();
      await window.openFile("wrong.rise");
      await page.waitForSelector(SQUIGGLE);
      assert.ok(!ran(), "the workspace's program was run");
    });
    await step("there its programs do not run", async () => {
      await window.openFile("dot.rise");
      await window.sees(".codelens-decoration", "Preview");
      assert.ok(!(await window.texts(".codelens-decoration")).some((text) => text.includes("Run")));
      await page.keyboard.press("F1");
      await page.waitForSelector(".quick-input-widget input");
      await page.keyboard.type("RISE: ");
      const commands = ".quick-input-list .monaco-list-row";
      await window.sees(commands, "RISE: Preview");
      const offered = await window.texts(commands);
      assert.ok(!offered.some((text) => text.includes("RISE: Run")), offered.join("; "));
      await page.keyboard.press("Escape");
    });
    await step("with trust, the workspace chooses the server", async () => {
      await window.command("Workspaces: Manage Workspace Trust");
      await page.getByRole("button", { name: "Trust", exact: true }).first().click();
      await window.until("the workspace's program", async () => ran());
      await window.sees(".notifications-toasts", "names no RISE server");
    });
  } finally {
    await close();
  }
}

// All of it, or the parts that are named.
const parts = {
  first: firstHour,
  problems,
  absent: withoutServer,
  language: inTrustedWorkspace,
  compiled,
  rewrites,
  trust: inWorkspaceNotTrusted,
};
const wanted = process.argv.slice(2);
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) await part();
}
process.exitCode = failed() === 0 ? 0 : 1;
