// Rewrites as code actions, strategies stepped through and run, what was done written down.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { open } from "./host.mjs";
import { picture, shots, step } from "./step.mjs";
import { Window } from "./window.mjs";

const TWO = `// Two maps.
def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>
  xs |> map(f) |> map(g)))
`;
const ROWS = `def rows = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>
  xss |> mapWorkGroup(0)(fun(row => row |> map(fun(x => x + 1.0f))))))
`;
const NEST = `def nest = depFun((n: Nat, m: Nat, k: Nat) => fun(xsss: n.m.k.f32 =>
  xsss |> map(fun(plane => plane |> map(fun(row => row |> map(fun(x => x + 1.0f))))))))
`;
/** A definition that is longer than the window. */
const TALL = `def tall = depFun(n: Nat => fun(xs: n.f32 =>
${"  // A line.\n".repeat(80)}  xs |> map(fun(x => x * 2.0f))))
`;
const OWN = `/// Both maps in one loop.
val oneLoop = topDown(mapFusion) ; topDown(toMapSeq)

/// There is nothing to transpose.
val untransposed = topDown(removeTransposePair)
`;

/** Chooses from the menu of code actions, however it was opened. */
async function choose(window, title) {
  const line = window.page.locator(".action-widget").getByText(title);
  await line.first().click();
}

/** Opens the menu at the cursor until it has this line, which it has when the server has answered. */
async function act(window, title) {
  const { page } = window;
  const line = page.locator(".action-widget").getByText(title).first();
  await window.until(`"${title}" in the menu`, async () => {
    await page.keyboard.press("Control+.");
    const shown = await line.waitFor({ timeout: 4_000 }).then(() => true, () => false);
    if (!shown) await page.keyboard.press("Escape");
    return shown;
  });
  await line.click();
}

async function byHand(window) {
  const { page } = window;
  const file = window.editor("two.rise");
  const fused = TWO.replace("map(f) |> map(g)", "map(f >> g)");
  await step("Fuse maps is one edit", async () => {
    await window.openFile("two.rise");
    await window.click("|> map(g)", "map", file);
    await act(window, "Fuse maps: one array of n f32 less");
    await window.saved("two.rise", (text) => text === fused);
    await window.sees(".statusbar-item", "Rewrote two: topDown(mapFusion)");
    assert.equal(await page.locator(".notifications-toasts .notification-toast").count(), 0);
  });
  await step("which one undo takes back", async () => {
    await window.click("map(f", "map", file);
    await page.keyboard.press("Control+z");
    await window.saved("two.rise", (text) => text === TWO);
    await page.keyboard.press("Control+y");
    await window.saved("two.rise", (text) => text === fused);
  });
  await step("what was done is written down beside the program", async () => {
    await window.command("RISE: Record or Explain the Last Rewrite");
    await window.pick("Record in strategy.elevate");
    const steps = path.join(window.workspace, "strategy.elevate");
    await window.sees(".editor-instance .view-lines", "strategy twoSteps");
    const written = /strategy twoSteps: Strategy =\n {2}topDown\(mapFusion\)\n/;
    await window.command("File: Save All Files");
    await window.until("the steps on the disk", async () => existsSync(steps) && written.test(readFileSync(steps, "utf8")));
  });
  await step("Undo this rewrite takes it back later, too", async () => {
    await window.openFile("two.rise");
    await window.click("map(f", "map", file);
    await act(window, "Undo this rewrite: Fuse maps");
    await window.saved("two.rise", (text) => text === TWO);
  });
  await step("Lower to mapLocal(0) is there in a work-group", async () => {
    await window.openFile("rows.rise");
    const rows = window.editor("rows.rise");
    await window.click("row |> map(fun", "map", rows);
    await act(window, "Lower to mapLocal(0)");
    await window.saved("rows.rise", (text) => text === ROWS.replace("> map(fun(x", "> mapLocal(0)(fun(x"));
  });
  await step("an order of loops is chosen by their names", async () => {
    await window.openFile("nest.rise");
    const nest = window.editor("nest.rise");
    await window.click("plane |> map", "map", nest);
    await act(window, "Reorder loops…");
    await window.pick("x");
    await window.pick("plane");
    await window.saved("nest.rise", (text) => text !== NEST && text.includes("transpose"));
  });
}

async function lowered(window) {
  await step("a lowered definition is shown, however long the one before it is", async () => {
    await window.openFile("tall.rise");
    await window.lens("Lower 1 Pattern…");
    await window.pick("C");
    await window.sees(`${window.editor("tall.rise")} .view-lines`, "def tall_c");
  });
}

async function byStrategy(window) {
  const { page } = window;
  const file = window.editor("two.rise");
  await step("a strategy of a file is a source action", async () => {
    await window.openFile("two.rise");
    await window.click("def two", "two", file);
    await window.command("Source Action...");
    await choose(window, "Run strategy oneLoop of own.elevate");
    await window.saved("two.rise", (text) => text.includes("xs |> mapSeq(f >> g)"));
    await window.click("mapSeq", "mapSeq", file);
    await page.keyboard.press("Control+z");
    await window.saved("two.rise", (text) => text === TWO);
  });
  await step("a strategy that is written wrong is shown again with the reason and its place", async () => {
    await window.click("def two", "two", file);
    await window.command("RISE: Apply Strategy…");
    await window.pick("Write a Strategy…");
    await window.sees(".quick-input-message", "as in a file of ELEVATE");
    await page.keyboard.type("topDown(mapFusion");
    await page.keyboard.press("Enter");
    await window.sees(".quick-input-message", "(column ");
    assert.equal(await page.locator(".quick-input-widget input").first().inputValue(), "topDown(mapFusion");
    await page.keyboard.press("Escape");
  });
  await step("stepping through a strategy that fails says why", async () => {
    await window.click("def two", "two", file);
    await window.command("RISE: Step Through Strategy…");
    await window.pick("untransposed");
    await window.sees(".notifications-toasts .notification-toast", "`removeTransposePair` does not apply: ");
    const toasts = await window.texts(".notifications-toasts .notification-toast");
    assert.ok(toasts.some((text) => text.includes("; found: ")), toasts.join("\n"));
    await window.command("Notifications: Clear All Notifications");
  });
  await step("a strategy is stepped through beside the program", async () => {
    await window.click("def two", "two", file);
    await window.command("RISE: Step Through Strategy…");
    await window.pick("oneLoop");
    const steps = window.editor("two (steps).rise");
    await window.sees(`${steps} .view-lines`, "map(f >> g)");
    await window.sees(".codelens-decoration", "step 1 of 2: mapFusion");
    await window.sees(".pane-header.expanded", "RISE Steps");
    await picture("step");
    await window.lens("Next");
    await window.sees(`${steps} .view-lines`, "mapSeq(f >> g)");
    await window.command("RISE: Previous Step");
    await window.sees(`${steps} .view-lines`, "> map(f >> g)");
  });
  await step("and applied up to a step", async () => {
    await window.command("RISE: Apply up to Here");
    await window.until("the edit", async () =>
      (await window.texts(`${file} .view-lines`)).some((text) => text.includes("map(f >> g)")),
    );
  });
}

export async function rewrites() {
  const files = { "two.rise": TWO, "rows.rise": ROWS, "nest.rise": NEST, "tall.rise": TALL, "own.elevate": OWN };
  const { page, workspace, close } = await open({ files, size: [1600, 900] });
  const window = new Window(page, workspace);
  shots(page);
  try {
    await byHand(window);
    await lowered(window);
    await byStrategy(window);
  } finally {
    await close();
  }
}
