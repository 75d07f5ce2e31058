// What one does first: types, runs, looks at the C, and reads the problems. Everything is typed as people
// type, and every step that shows something leaves a picture where SHOTS says so.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "./host.mjs";
import { picture, shots, step } from "./step.mjs";
import { Window } from "./window.mjs";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const TYPED = "def halves = fun(xs: 8.f32 => xs |> map(fun(x => x * 0.5f)))\n";
const RUN = `/// Half of each, whose line is longer than half of a window.
@run(n = 2, m = 2)
def halvesOfRows = depFun((n: Nat, m: Nat) => fun((rows: n.m.f32, factor: f32, offset: f32) => rows |> map(map(fun(x => x * factor + offset)))))
`;
/** The program that the README checks first. */
const FIRST = readFileSync(path.join(ROOT, "docs/first.rise"), "utf8");
const WRONG = "def wrong = fun((xs: 4.f32, ys: 5.f32) => zip(xs)(ys))\n";
const WORDS = ".suggest-widget.visible .monaco-list-row";
const LINES = ".editor-instance .view-lines";

async function typing(window) {
  const { page } = window;
  const text = window.editor("typed.rise");
  await step("typing `xs |> ma` opens a list whose first entry is `map`", async () => {
    await window.openFile("typed.rise");
    await window.click("def halves", "def", text);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("def f = fun(xs: 8.f32 => xs |> ma", { delay: 60 });
    await window.sees(`${WORDS}.focused .label-name`, "map");
    const [first] = await window.texts(`${WORDS} .label-name`);
    assert.equal(first, "map");
    await window.sees(WORDS, "(s -> t) -> n.s -> n.t");
    await picture("typing");
  });
  await step("a bracket shows the signature, and no list", async () => {
    await page.keyboard.press("Escape");
    for (let letter = 0; letter < 2; letter++) await page.keyboard.press("Backspace");
    await page.keyboard.type("zip(", { delay: 60 });
    await window.sees(".parameter-hints-widget.visible", "zip");
    assert.equal(await page.locator(WORDS).count(), 0);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+k");
    await window.saved("typed.rise", (saved) => saved.trimEnd() === TYPED.trimEnd());
  });
  await step("a program of several lines is typed as it is written", async () => {
    const program = `/// Sum of squares.
@run(n = 8)
def sumOfSquares = depFun(n: Nat => fun(xs: n.f32 =>
  xs
    |> map(fun(x => x * x))
    |> reduce(add)(0.0f)))

def sumOfRows = fun(rows: 3.4.f32 =>
  rows |> map(fun(row => row |> reduce(add)(0.0f))))
def same = id
`;
    // Lines keep their indentation, which is not typed; brackets that have closed themselves are typed over.
    await window.openFile("several.rise");
    await page.locator(`${window.editor("several.rise")} .view-lines`).click();
    const written = program.trimEnd().split("\n");
    for (const [at, text] of written.entries()) {
      await page.keyboard.type(at === 4 ? `  ${text.trim()}` : text.trim(), { delay: 60 });
      if (at + 1 < written.length) await page.keyboard.press("Enter");
    }
    await page.keyboard.press("Escape");
    const saved = await window.saved("several.rise", (saved) => saved.includes("same = id"));
    assert.equal(saved, program.trimEnd());
    await window.openFile("typed.rise");
  });
  await step("an import opens a list of files", async () => {
    await window.openFile("import.rise");
    await page.locator(`${window.editor("import.rise")} .view-lines`).click();
    await page.keyboard.type('import "', { delay: 60 });
    await window.sees(`${WORDS} .label-name`, "typed.rise");
    await page.keyboard.type("typ", { delay: 60 });
    await window.sees(`${WORDS}.focused .label-name`, "typed.rise");
    await page.keyboard.press("Tab");
    await window.saved("import.rise", (saved) => saved === 'import "typed.rise"');
    await window.openFile("typed.rise");
  });
  await step("what the cursor stands on is marked wherever it is used", async () => {
    await window.click("x * 0.5f", "x", text);
    await window.until("two marks", async () => (await page.locator(`${text} .wordHighlightText, ${text} .wordHighlight, ${text} .wordHighlightStrong`).count()) >= 2);
  });
}

async function running(window) {
  const { page } = window;
  await step("Run shows its whole result without scrolling", async () => {
    await window.openFile("run.rise");
    await window.lens("Run");
    await window.result(window.editor("run.rise"), /^= \[\[[^…]*\]\]\s+\(.*, n = 2, m = 2\)$/);
    await picture("run");
  });
  await step("a hover on the definition has all of it", () =>
    window.hover("def halvesOfRows", "halvesOfRows", "halvesOfRows ("),
  );
  await step("also in a split window", async () => {
    await page.keyboard.press("Escape");
    await page.locator(`${window.editor("run.rise")} .codelens-decoration a`).getByText(/^= /).first().click();
    await window.sees(`${window.editor("halvesOfRows (result).txt")} .view-lines`, "[");
    await window.result(window.editor("run.rise"), /^= \[\[.*…\s+\([0-9.]+ [mµn]?s\)$/);
    await picture("split");
    await window.command("View: Close All Editors");
  });
}

async function previewing(window) {
  await step("Preview of the README's program shows C", async () => {
    await window.openFile("first.rise");
    await window.lens("Preview");
    await window.pick("C");
    await window.sees(`${window.editor("mv (c).c")} .view-lines`, "void mv(");
    await window.sees(`${window.editor("mv (c).c")} .view-lines`, "for (int");
    await picture("preview");
  });
  await step("previews are there again after the window was loaded again", async () => {
    // VS Code writes down what is open before it loads the window again, which the browser does not wait for.
    const loaded = window.page.waitForEvent("domcontentloaded", { timeout: 60_000 });
    await window.command("Developer: Reload Window");
    await loaded;
    await window.sees(`${window.editor("mv (c).c")} .view-lines`, "void mv(", 60_000);
    assert.equal(await window.page.locator(".editor-group-container").count(), 2);
  });
}

/** The examples and one wrong program, in a window of their own. */
export async function problems() {
  const { page, workspace, close } = await open({
    files: { "wrong.rise": WRONG },
    folders: { examples: path.join(ROOT, "examples") },
    size: [1500, 900],
  });
  const window = new Window(page, workspace);
  shots(page);
  try {
    await reported(window);
    await tasks(window);
  } finally {
    await close();
  }
}

async function reported(window) {
  const { page } = window;
  await step("Problems is empty for the examples", async () => {
    await window.openFile("wrong.rise");
    await page.waitForSelector(".editor-instance .squiggly-error");
    await window.command("Problems: Focus on Problems View");
    await window.sees(".markers-panel .monaco-list-row", "wrong.rise");
    // All files of the workspace are reported together.
    await page.waitForTimeout(3_000);
    await picture("problems");
    const counts = await page.locator('.statusbar-item[id="status.problems"]').getAttribute("aria-label");
    assert.equal(counts, "Errors: 1");
  });
  await step("the error is said once in a hover", async () => {
    const text = window.editor("wrong.rise");
    await window.hover("zip(xs)(ys)", "ys)", "expects the size", text);
    const shown = (await window.texts(".monaco-hover:not(.hidden) .monaco-hover-content")).join("\n");
    assert.equal(shown.split("expects the size").length, 2, shown);
    await picture("hover");
  });
  await step("the error is explained on demand", async () => {
    await page.keyboard.press("Escape");
    await window.click("zip(xs)(ys)", "ys)", window.editor("wrong.rise"));
    await window.command("RISE: Explain the Error Here");
    await window.until("the page", async () => {
      for (const frame of page.frames()) {
        const text = await frame.locator("body").innerText({ timeout: 500 }).catch(() => "");
        if (text.includes("Two sizes that must be equal are not equal.") && text.includes("Right:")) return true;
      }
      return false;
    });
    await picture("explain");
  });
}

async function tasks(window) {
  const { page } = window;
  await step("the workspace is checked by a task", async () => {
    await page.keyboard.press("F1");
    await page.waitForSelector(".quick-input-widget input");
    await page.keyboard.type("Tasks: Run Task");
    await window.pick("Tasks: Run Task");
    await window.pick("rise");
    await window.pick("rise: check");
    // The first lines of the report may be above those that the terminal shows.
    await window.sees(".terminal-wrapper.active .xterm-rows", "found: 5.f32");
    await window.sees(".terminal-wrapper.active .xterm-rows", "1 error in ");
    await picture("task");
  });
}

/** A person's first hour with a server. */
export async function firstHour() {
  const files = { "typed.rise": TYPED, "several.rise": "", "import.rise": "", "run.rise": RUN, "first.rise": FIRST };
  const { page, workspace, close } = await open({ files, size: [1500, 900] });
  const window = new Window(page, workspace);
  shots(page);
  try {
    await typing(window);
    await running(window);
    await previewing(window);
  } finally {
    await close();
  }
}

/** And without one. */
export async function withoutServer() {
  const server = process.env.RISE_LS;
  const { page, workspace, close } = await open({
    files: { "typed.rise": TYPED },
    machine: { "rise.server.path": "" },
    environment: { CARGO_HOME: "cargo" },
    size: [1500, 900],
  });
  const window = new Window(page, workspace);
  shots(page);
  const colours = async () => [
    await window.colour("def halves", "def"),
    await window.colour("fun(xs", "fun"),
    await window.colour("8.f32 =>", "f32"),
  ];
  let before;
  try {
    await step("without a server the status bar says so, and goes on saying it", async () => {
      await window.openFile("typed.rise");
      await window.sees(".statusbar-item", "RISE: no server");
      await window.sees(".notifications-toasts", "rise-ls was not found");
      before = await colours();
      await picture("no-server");
    });
    await step("Open Settings finds the setting", async () => {
      await page.getByRole("button", { name: "Open Settings" }).first().click();
      await window.sees(".settings-editor .setting-item-label", "Path");
      await picture("settings");
      await page.keyboard.press("Escape");
    });
    await step("the server starts when its program appears", async () => {
      const folder = path.join(workspace, "../cargo/bin");
      mkdirSync(folder, { recursive: true });
      const program = path.join(folder, "rise-ls");
      writeFileSync(program, `#!/bin/sh\nexec "${server}" "$@"\n`);
      chmodSync(program, 0o755);
      await window.openFile("typed.rise");
      await window.sees(LINES, "8.f32");
      await window.sees(".codelens-decoration", "Run");
      assert.equal(await page.locator(".statusbar-item:visible", { hasText: "RISE: no server" }).count(), 0);
    });
    await step("and changes no colours", async () => {
      // The names get theirs when the server has answered.
      await page.waitForTimeout(2_000);
      assert.deepEqual(await colours(), before);
    });
  } finally {
    await close();
  }
}
