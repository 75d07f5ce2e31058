// Makes the pictures of the documentation, or those that are named.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "./host.mjs";
import { Window } from "./window.mjs";

const FOLDER = process.env.PICTURES ?? fileURLToPath(new URL("../../../../docs", import.meta.url));

const MV = `/// A matrix times a vector: a dot product for each row.
def mv = depFun((n: Nat, m: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[n, f32] =>
      M |> map(fun(row =>
        zip(row)(x)
          |> map(fun(ax => fst(ax) * snd(ax)))
          |> reduce(add)(0.0f))))))
`;

const STENCIL = `/// Three neighbours at a time, weighted.
@target(c)
@run(n = 1024)
def stencil = depFun(n: Nat =>
  fun(xs: n.f32, weights: 3.f32 =>
    xs
      |> slide(3)(1)
      |> mapSeq(fun(window =>
        zip(window)(weights)
          |> map(fun(p => p._1 * p._2))
          |> reduceSeq(add)(0.0f)))))
`;

const SMOOTH = `/// Squares, and sums of three neighbours.
@target(opencl)
@opencl(local = [64], global = [n])
def smooth = depFun(n: Nat => fun(xs: n.f32 =>
  xs
    |> split(64)
    |> mapWorkGroup(fun(block =>
      block
        |> mapLocal(fun(x => x * x))
        |> toMem(Local)
        |> padClamp(1)(1)
        |> slide(3)(1)
        |> mapLocal(reduceSeq(Private)(add)(0.0f))))
    |> join))
`;

const SETTINGS = {
  "breadcrumbs.enabled": false,
  "editor.fontFamily": "DejaVu Sans Mono",
  "editor.fontSize": 15,
  "editor.glyphMargin": false,
  "editor.hideCursorInOverviewRuler": true,
  "editor.guides.indentation": false,
  "editor.hover.sticky": true,
  "editor.lightbulb.enabled": "off",
  "editor.lineHeight": 26,
  "editor.matchBrackets": "never",
  "editor.overviewRulerBorder": false,
  "editor.renderLineHighlight": "none",
  "editor.scrollbar.vertical": "hidden",
  "window.customTitleBarVisibility": "never",
  "window.menuBarVisibility": "hidden",
  "workbench.activityBar.location": "hidden",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.editor.editorActionsLocation": "hidden",
  "workbench.layoutControl.enabled": false,
  "workbench.statusBar.visible": false,
};

/** Two editors have less room. */
const NARROW = {
  "editor.cursorBlinking": "solid",
  "editor.fontSize": 13,
  "editor.lineDecorationsWidth": 8,
  "editor.lineHeight": 23,
  "editor.lineNumbersMinChars": 2,
  "editor.occurrencesHighlight": "off",
  "editor.renderWhitespace": "none",
  "editor.scrollbar.horizontal": "hidden",
  "editor.selectionHighlight": false,
  "editor.stickyScroll.enabled": false,
  "rise.inlayHints.definitions": false,
};

async function take(name, wishes, prepare) {
  const { page, workspace, close } = await open(wishes);
  try {
    await prepare(page, new Window(page, workspace));
    await page.waitForTimeout(2000);
    await page.locator(".part.editor").screenshot({ path: path.join(FOLDER, `${name}.png`) });
  } finally {
    await close();
  }
}

/** Moves what stands between two editors. */
async function divide(page, to) {
  const { x, y } = await page.locator(".editor-group-container").nth(1).boundingBox();
  await page.mouse.move(x, y + 200);
  await page.mouse.down();
  await page.mouse.move(to, y + 200, { steps: 5 });
  await page.mouse.up();
}

const PICTURES = {
  /** A wrong size in a matrix-vector product. */
  vscode: () =>
    take("vscode", { files: { "mv.rise": MV }, settings: SETTINGS, size: [1200, 606] }, async (page, window) => {
      await window.openFile("mv.rise");
      await window.command("View: Close Primary Side Bar");
      await page.waitForSelector(".squiggly-error");
      await window.sees(".editor-instance .view-lines", "m.(f32, f32)");
      // The problem is shown in the text, where a hover would cover the stages below.
      await window.click("zip(row)(x)", "x");
      await page.keyboard.press("Escape");
      await window.command("Go to Next Problem (Error, Warning, Info)");
      await window.sees(".zone-widget", "expects the size");
      // The zone has moved the first line out of the window.
      await page.mouse.move(600, 100);
      await page.mouse.wheel(0, -500);
      await page.mouse.move(1150, 500);
    }),

  /** A stencil and its C, and what belongs together in them. */
  preview: () => {
    const settings = { ...SETTINGS, ...NARROW };
    return take("preview", { files: { "stencil.rise": STENCIL }, settings, size: [1200, 648] }, async (page, window) => {
      await window.openFile("stencil.rise");
      await window.command("View: Close Primary Side Bar");
      await window.sees(".editor-instance .view-lines", "stored");
      await window.lens("Preview");
      const source = window.editor("stencil.rise");
      const target = window.editor("stencil (c).c");
      await window.sees(`${target} .view-lines`, "void stencil(");
      await divide(page, 714);
      const { x, y } = await window.place("p._1 * p._2", "p._1", source);
      const end = await window.place("p._1 * p._2", "))", source);
      await page.mouse.move(x - 5, y);
      await page.mouse.down();
      await page.mouse.move(end.x - 7, end.y, { steps: 3 });
      await page.mouse.up();
      await window.until("marks in the C", async () => (await window.marked(target)).length > 0);
      await page.mouse.move(1150, 500);
    });
  },

  /** A kernel beside its source, and what its barrier is for. */
  kernel: () => {
    const hints = { "rise.inlayHints.accessFlow": "off", "rise.inlayHints.pipelines": false };
    const settings = { ...SETTINGS, ...NARROW, ...hints, "editor.hover.above": false };
    return take("kernel", { files: { "smooth.rise": SMOOTH }, settings, size: [1464, 510] }, async (page, window) => {
      await window.openFile("smooth.rise");
      await window.command("View: Close Primary Side Bar");
      await window.sees(".editor-instance .view-lines", "barrier: ");
      await window.lens("Preview");
      const target = window.editor("smooth (opencl).cl");
      await window.sees(`${target} .view-lines`, "barrier(CLK_LOCAL_MEM_FENCE);");
      await divide(page, 678);
      await window.hover("barrier(CLK", "barrier", "barrier: orders", target);
    });
  },
};

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(PICTURES)) {
  const make = PICTURES[name];
  if (make === undefined) throw new Error(`There is no picture ${name}; there are ${Object.keys(PICTURES).join(", ")}.`);
  await make();
}
