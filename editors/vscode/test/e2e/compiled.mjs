// Programs that become C and OpenCL: seen beside the source, run, and explained by hints. And DPIA, which is on the way.

import assert from "node:assert/strict";
import { open } from "./host.mjs";
import { shots, step } from "./step.mjs";
import { Window } from "./window.mjs";

export const DOT = `@target(c)
@run(n = 4)
def dotProduct = depFun(n: Nat => fun(xs: n.f32, ys: n.f32 =>
  zip(xs)(ys)
    |> map(fun(p => p._1 * p._2))
    |> reduceSeq(add)(0.0f)))
`;
/** Two definitions, neither of which uses the other. */
const SEVERAL = `def first = fun(x: f32 => x)

@run(n = 4)
def second = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f))))
`;
/** Without sizes to run with. */
const FREE = DOT.replace("@run(n = 4)\n", "");
const DPIA = `def twice = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] =>
  mapSeq(fun(x => x + 1.0f),
    mapSeq(fun(x => x * x), xs))))
`;

const SUMS = `@target(opencl)
@opencl(local = [64], global = [64 * n])
@run(n = 256)
def sums = depFun(n: Nat => fun(xs: (128 * n).f32 =>
  xs |> split(128) |> mapWorkGroup(fun(chunk =>
    let halves = toMem(Local)(chunk |> split(2) |> mapLocal(reduceSeq(Private)(add)(0.0f))) in
    halves |> split(4) |> mapLocal(reduceSeq(Private)(add)(0.0f))
  )) |> join))
`;

/** `toMem` without saying where. */
const SPACE = `@target(opencl)
@opencl(local = [64], global = [64 * n])
def next = depFun(n: Nat => fun(xs: (64 * n).f32 =>
  xs |> split(64) |> mapWorkGroup(fun(chunk =>
    chunk |> mapLocal(fun(x => x * x)) |> toMem |> mapLocal(fun(x => x + 1.0f)))) |> join))
`;

const LINES = ".editor-instance .view-lines";

async function hints(window) {
  await step("hints say how stages are accessed", async () => {
    await window.openFile("dot.rise");
    await window.sees(LINES, "stored: variable, 4 B");
  });
  await step("values of stages are shown when the setting says so", async () => {
    window.configure({ "rise.inlayHints.values": true, "rise.inlayHints.accessFlow": "off" });
    await window.sees(LINES, "= [0.0, 1.0, 4.0, 9.0]");
    await window.sees(LINES, "= 14.0");
    const [text] = await window.texts(LINES);
    assert.ok(!text.includes("stored"), text);
  });
  await step("and go when it does not", async () => {
    window.configure({});
    await window.sees(LINES, "stored: variable, 4 B");
    const [text] = await window.texts(LINES);
    assert.ok(!text.includes("= 14.0"), text);
  });
}

async function preview(window) {
  const source = window.editor("dot.rise");
  const target = window.editor("dotProduct (c).c");
  const marks = (editor, text) =>
    window.until(`a mark on "${text}"`, async () =>
      (await window.marked(editor)).some((marked) => marked.includes(text)),
    );

  await step("the lens Preview opens the C beside the source", async () => {
    await window.lens("Preview");
    await window.sees(`${target} .view-lines`, "accum += xs[i] * ys[i];");
    assert.equal(await window.page.locator(".editor-group-container").count(), 2);
  });
  await step("the cursor in the source marks the C", async () => {
    await window.click("p._1 * p._2", "* p", source);
    await marks(target, "xs[i] * ys[i]");
  });
  await step("the cursor in the C marks the source", async () => {
    await window.click("for (int i", "for", target);
    await marks(source, "reduceSeq(add)(0.0f)");
    assert.deepEqual(await window.marked(target), [], "the C is still marked");
  });
  await step("a hover in the C says what made it", () =>
    window.hover("for (int i", "for", "reduceSeq (lines 4–6)", target),
  );
  await step("typing changes the C, also when the program was closed and opened again", async () => {
    await window.click("zip(xs)(ys)", "zip", source);
    // Its group stays as long as it has another file.
    await window.openFile("free.rise");
    const tab = window.page.locator('.tab[data-resource-name="dot.rise"]');
    await tab.click({ button: "middle" });
    await tab.waitFor({ state: "detached" });
    await window.openFile("dot.rise");
    await window.click("p._1 * p._2", "* p", source);
    await window.page.keyboard.press("Backspace");
    await window.page.keyboard.type("-");
    await window.sees(`${target} .view-lines`, "accum += xs[i] - ys[i];");
  });
  await step("also when the server was started again", async () => {
    await window.command("RISE: Restart Server");
    await window.page.keyboard.press("Backspace");
    await window.page.keyboard.type("+");
    await window.sees(`${target} .view-lines`, "accum += xs[i] + ys[i];");
    await window.page.keyboard.press("Backspace");
    await window.page.keyboard.type("/");
    await window.sees(`${target} .view-lines`, "accum += xs[i] / ys[i];");
    await marks(target, "xs[i] / ys[i]");
  });
  await step("while there are errors, the last C stays, and says so", async () => {
    await window.page.keyboard.type(" nothing");
    await window.sees(`${target} .view-lines`, "// ");
    await window.sees(`${target} .view-lines`, "accum += xs[i] / ys[i];");
    await window.until("the C of the text as it was", async () => {
      await window.page.keyboard.press("Control+z");
      const [text] = await window.texts(`${target} .view-lines`);
      return text?.includes("accum += xs[i] * ys[i];");
    });
  });
}

async function run(window) {
  const source = window.editor("dot.rise");
  const above = (editor, wanted) => window.result(editor, wanted);
  await step("the lens Run shows the result above the definition", async () => {
    await window.lens("Run");
    await above(source, /^= -?[0-9.e-]+ +\([0-9.]+ [mµn]?s\)$/);
  });
  await step("a click on it opens the whole result", async () => {
    await window.click("zip(xs)(ys)", "zip", source);
    await window.page.locator(`${source} .codelens-decoration a`).getByText(/^= /).first().click();
    const result = window.editor("dotProduct (result).txt");
    await window.sees(`${result} .view-lines`, "dotProduct (");
  });
  await step("an edit takes it away", async () => {
    await window.click("zip(xs)(ys)", "zip", source);
    await window.page.keyboard.press("End");
    await window.page.keyboard.type(" ");
    await window.until("no result", async () =>
      (await window.texts(`${source} .codelens-decoration a`)).every((text) => !text.startsWith("=")),
    );
  });
  await step("a run can be compared with the interpreter", async () => {
    await window.command("RISE: Run, Compare with the Interpreter, and Time");
    await above(source, /as in the interpreter/);
  });
  await step("sizes that nobody has said are asked for", async () => {
    await window.openFile("free.rise");
    await window.lens("Run");
    await window.until("a question", async () =>
      (await window.page.locator(".quick-input-widget input").first().inputValue()) === "n = 16",
    );
    // Nothing runs yet.
    await window.page.locator(".statusbar .codicon-sync.codicon-modifier-spin").waitFor({ state: "detached", timeout: 5_000 });
    await window.page.keyboard.type("16");
    await window.page.keyboard.press("Enter");
    await above(window.editor("free.rise"), /^= -?[0-9.e-]+ +\([0-9.]+ [mµn]?s\)$/);
    await window.hover("def dotProduct", "dotProduct", "C, n = 16", window.editor("free.rise"));
  });
}

async function otherSizes(window) {
  await step("other sizes can be chosen before the first run, beginning with those of @run", async () => {
    await window.openFile("several.rise");
    await window.click("def second", "second", window.editor("several.rise"));
    await window.command("RISE: Run with Other Sizes…");
    await window.sees(".quick-input-title", "Run second");
    assert.equal(await window.page.locator(".quick-input-widget input").first().inputValue(), "n = 4");
    await window.page.keyboard.type("n = 2");
    await window.page.keyboard.press("Enter");
    await window.result(window.editor("several.rise"), /^= \[[^,]*, [^,]*\] .*$/);
    await window.openFile("free.rise");
  });
  await step("other sizes can be chosen, beginning with the last ones", async () => {
    await window.command("RISE: Run with Other Sizes…");
    await window.sees(".quick-input-title", "Run dotProduct");
    assert.equal(await window.page.locator(".quick-input-widget input").first().inputValue(), "n = 16");
    await window.page.keyboard.type("n = 8");
    await window.page.keyboard.press("Enter");
    await window.until("the result for n = 8", async () => {
      const titles = window.page.locator(`${window.editor("free.rise")} .codelens-decoration a`);
      return (await titles.allInnerTexts()).some((text) => /^= /.test(text)) &&
        window.hover("def dotProduct", "dotProduct", "C, n = 8", window.editor("free.rise"));
    });
  });
}

async function inTerminal(window) {
  await step("a terminal runs the definition at the cursor", async () => {
    await window.openFile("several.rise");
    await window.click("def second", "second", window.editor("several.rise"));
    await window.command("RISE: Run in a Terminal");
    await window.sees(".terminal-wrapper.active .xterm-rows", "`second` ran in C");
    await window.command("View: Toggle Terminal");
  });
}

async function dpia(window) {
  const text = window.editor("twice.dpia");
  await step("a .dpia file is coloured", async () => {
    await window.openFile("twice.dpia");
    await window.until("keywords, types and patterns in colours of their own", async () => {
      const name = await window.colour("xs))))", "xs", text);
      const all = [
        await window.colour("def twice", "def", text),
        await window.colour("(n: Nat) =>", "Nat", text),
        await window.colour("mapSeq(", "mapSeq", text),
      ];
      return all.every((colour) => colour !== name);
    });
  });
  await step("and checked", async () => {
    await window.page.waitForSelector(`${text} .squiggly-error`);
    await window.hover("x * x), xs", "x * x", "not yet written to memory", text);
  });
}

/** Needs an OpenCL device: PoCL is one. */
async function opencl(window) {
  const source = window.editor("sums.rise");
  const target = window.editor("sums (opencl).cl");
  await step("hints say what the barriers of a kernel wait for", async () => {
    await window.openFile("sums.rise");
    await window.sees(`${source} .view-lines`, "barrier: halves written in line 6");
  });
  await step("hover says which work-items do what", () =>
    window.hover("halves |> split(4)", "mapLocal", "each of the first 16 of the 64 work-items of a group", source),
  );
  await step("the lens Run on device shows what the kernel reaches there", async () => {
    await window.lens("Run on device");
    await window.result(source, /^= \[.*, [0-9.]+ GB\/s\)$/);
    await window.hover("def sums", "sums", "OpenCL on ", source);
  });
  await step("the kernel stands beside its source, with what made its lines", async () => {
    await window.lens("Preview");
    await window.sees(`${target} .view-lines`, "barrier(CLK_LOCAL_MEM_FENCE);");
    await window.hover("barrier(CLK", "barrier", "orders the write of halves (line 6)", target);
  });
  await step("typing changes the kernel", async () => {
    await window.click("halves |> split(4)", "split", source);
    for (const key of ["End", "ArrowLeft", "ArrowLeft", "Backspace"]) await window.page.keyboard.press(key);
    await window.page.keyboard.type("5f");
    await window.sees(`${target} .view-lines`, "accum2 = 0.05f;");
  });
  await step("memory that is not named is offered with what it takes", async () => {
    await window.openFile("space.rise");
    const text = window.editor("space.rise");
    await window.page.waitForSelector(`${text} .squiggly-error`);
    const action = window.page.locator(".action-widget").getByText("Store in Local memory: 256 B");
    await window.until("the action", async () => {
      await window.click("|> toMem |>", "toMem", text);
      await window.page.keyboard.press("Control+.");
      if (await action.waitFor({ timeout: 5_000 }).then(() => true, () => false)) return true;
      await window.page.keyboard.press("Escape");
      return false;
    });
    await action.click();
    await window.saved("space.rise", (saved) => saved === SPACE.replace("toMem", "toMem(Local)"));
    await window.page.waitForSelector(`${text} .squiggly-error`, { state: "detached" });
  });
}

/** In a workspace that the user trusts. */
export async function compiled() {
  const files = { "dot.rise": DOT, "free.rise": FREE, "several.rise": SEVERAL, "twice.dpia": DPIA, "sums.rise": SUMS, "space.rise": SPACE };
  const { page, workspace, close } = await open({ files, size: [1600, 900] });
  const window = new Window(page, workspace);
  shots(page);
  try {
    await hints(window);
    await preview(window);
    await run(window);
    await otherSizes(window);
    await dpia(window);
    await opencl(window);
    await inTerminal(window);
  } finally {
    await close();
  }
}
