// The extension is thin: it starts rise-ls and shows what it says.

import * as vscode from "vscode";
import { applyStrategy, isRecorded, Recorder, whyNot } from "./apply";
import { chooseDevice } from "./devices";
import { Meanings } from "./explain";
import { Library, LIBRARY_SCHEME } from "./library";
import { applyWith, Explanations, lowerFor } from "./more";
import { isPlace } from "./place";
import { PREVIEW_SCHEME, Previews } from "./preview";
import { runInTerminal, Runs } from "./run";
import { EXPLAIN_SCHEME, STEP_SCHEME } from "./scheme";
import { Session } from "./session";
import { describe } from "./status";
import { Stepping } from "./steps";
import { isAsked } from "./strategies";
import { Tasks } from "./tasks";

/** Runs of which the median counts. */
const TIMED = 11;

let session: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("RISE");
  const trace = vscode.window.createOutputChannel("RISE trace");
  const current = new Session(context, output, trace);
  session = current;
  const previews = new Previews(current, context.workspaceState);
  const runs = new Runs(current, context.workspaceState);
  const recorder = new Recorder(current);
  const meanings = new Meanings(current);
  const explanations = new Explanations(current, meanings);
  const stepping = new Stepping(current, recorder);
  current.onPreviewChanged = (params) => previews.update(params);
  current.onOpened = (uri) => void previews.renew(uri);
  current.onStarted = () => {
    runs.register();
    void previews.renew().then(() => previews.restore());
  };
  context.subscriptions.push(
    output,
    trace,
    current,
    previews,
    vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, previews),
    vscode.commands.registerCommand("rise.preview", (at?: unknown) =>
      previews.open(isPlace(at) ? at : undefined),
    ),
    vscode.languages.registerHoverProvider({ scheme: PREVIEW_SCHEME }, previews),
    runs,
    vscode.commands.registerCommand("rise.run", (at?: unknown) =>
      runs.run(isPlace(at) ? at : undefined),
    ),
    vscode.commands.registerCommand("rise.runWithSizes", (at?: unknown) =>
      runs.run(isPlace(at) ? at : undefined, {}, true),
    ),
    vscode.commands.registerCommand("rise.runVerified", (at?: unknown) =>
      runs.run(isPlace(at) ? at : undefined, { verify: true, bench: TIMED }),
    ),
    vscode.commands.registerCommand("rise.runOnDevice", (at?: unknown) =>
      runs.run(isPlace(at) ? at : undefined, { backend: "opencl", bench: TIMED }),
    ),
    vscode.commands.registerCommand("rise.runOnDeviceVerified", (at?: unknown) =>
      runs.run(isPlace(at) ? at : undefined, { backend: "opencl", bench: TIMED, verify: true }),
    ),
    vscode.commands.registerCommand("rise.showRuns", () => runs.reveal()),
    vscode.commands.registerCommand("rise.showResult", (document?: unknown, def?: unknown) =>
      runs.showResult(document, def),
    ),
    vscode.commands.registerCommand("rise.chooseDevice", () => chooseDevice(current)),
    vscode.commands.registerCommand("rise.runInTerminal", (at?: unknown) =>
      runInTerminal(current, isPlace(at) ? at : undefined),
    ),
    recorder,
    vscode.commands.registerCommand("rise.lastRewrite", () => recorder.ask()),
    stepping,
    vscode.workspace.registerTextDocumentContentProvider(STEP_SCHEME, stepping),
    vscode.commands.registerCommand("rise.applyStrategy", (at?: unknown) =>
      applyStrategy(current, recorder, isPlace(at) ? at : undefined),
    ),
    // The server names these in what it offers.
    vscode.commands.registerCommand("rise.applyWith", (asked?: unknown) =>
      isAsked(asked) ? applyWith(current, recorder, asked) : undefined,
    ),
    vscode.commands.registerCommand("rise.lower", (at?: unknown) =>
      isPlace(at) ? lowerFor(current, recorder, at) : undefined,
    ),
    vscode.workspace.registerTextDocumentContentProvider(EXPLAIN_SCHEME, explanations),
    vscode.commands.registerCommand("rise.explain", () => explanations.show()),
    vscode.commands.registerCommand("rise.explainDiagnostic", (code?: unknown) => meanings.show(code)),
    vscode.tasks.registerTaskProvider("rise", new Tasks(current)),
    vscode.commands.registerCommand("rise.stopStepping", () => stepping.stop()),
    vscode.commands.registerCommand("rise.showSteps", () => vscode.commands.executeCommand("rise.steps.focus")),
    vscode.commands.registerCommand("rise.stepStrategy", () => stepping.start()),
    vscode.commands.registerCommand("rise.nextStep", () => stepping.move("next")),
    vscode.commands.registerCommand("rise.previousStep", () => stepping.move("previous")),
    vscode.commands.registerCommand("rise.stepTo", (done?: unknown) =>
      typeof done === "number" ? stepping.go(done) : undefined,
    ),
    vscode.commands.registerCommand("rise.applySteps", () => stepping.applySoFar()),
    vscode.commands.registerCommand("rise.whyNot", () => whyNot(current)),
    // The server names it in the rewrites that it offers.
    vscode.commands.registerCommand("rise.record", (step?: unknown) =>
      isRecorded(step) ? recorder.offer(vscode.Uri.parse(step.uri), step.def, step.step) : undefined,
    ),
    vscode.workspace.registerTextDocumentContentProvider(LIBRARY_SCHEME, new Library(current)),
    vscode.commands.registerCommand("rise.restartServer", () => current.restart()),
    vscode.commands.registerCommand("rise.serverMenu", () => current.menu()),
    vscode.commands.registerCommand("rise.showOutput", () => output.show()),
    vscode.commands.registerCommand("rise.showStatus", () => showStatus(current)),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("rise.server.path")) await current.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => current.restart()),
  );
  await current.start();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

async function showStatus(current: Session): Promise<void> {
  const client = await current.need();
  if (client === undefined) return;
  const status = await client.sendRequest<unknown>("rise/status", {});
  current.output.appendLine(["Server status", ...describe(status, "  ")].join("\n"));
  current.output.show(true);
}
