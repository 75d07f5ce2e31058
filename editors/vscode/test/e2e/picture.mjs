// Makes docs/vscode.png: a wrong size in a matrix-vector product, as the editor shows it.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "./host.mjs";
import { Window } from "./window.mjs";

const FILE = fileURLToPath(new URL("../../../../docs/vscode.png", import.meta.url));

const PROGRAM = `/// A matrix times a vector: a dot product for each row.
def mv = depFun((n: Nat, m: Nat) =>
  fun(M: Array[n, Array[m, f32]] =>
    fun(x: Array[n, f32] =>
      M |> map(fun(row =>
        zip(row)(x)
          |> map(fun(ax => fst(ax) * snd(ax)))
          |> reduce(add)(0.0f))))))
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

const { page, workspace, close } = await open({
  files: { "mv.rise": PROGRAM },
  settings: SETTINGS,
  size: [1200, 580],
});
try {
  const window = new Window(page, workspace);
  await window.openFile("mv.rise");
  await window.command("View: Close Primary Side Bar");
  await page.waitForSelector(".squiggly-error");
  await window.sees(".editor-instance .view-lines", "n.f32)");
  // The problem is shown in the text, where a hover would cover the stages below.
  await window.click("zip(row)(x)", "x");
  await page.keyboard.press("Escape");
  await window.command("Go to Next Problem (Error, Warning, Info)");
  await window.sees(".zone-widget", "expects the size");
  await page.mouse.move(1150, 500);
  await page.waitForTimeout(2000);
  await page.locator(".part.editor").screenshot({ path: process.env.PICTURE ?? FILE });
} finally {
  await close();
}
