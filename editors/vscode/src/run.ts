// Running a definition: the server runs the text in the editor and the result stands above the
// definition; or a terminal runs the saved file, where one sees what is called.

import * as vscode from "vscode";
import { WorkDoneProgress } from "vscode-languageclient/node";
import { isProgram, PROGRAMS } from "./languages";
import type { Place } from "./place";
import {
  annotatedSizes,
  brief,
  definitionAt,
  firstLine,
  inline,
  isNews,
  notice,
  page,
  report,
  type RunResult,
  short,
  sizesOf,
} from "./result";
import { RESULT_SCHEME } from "./scheme";
import type { Session } from "./session";

/** Letters of a value that stand above a definition: what an editor has room for, by itself and beside another one. */
const ALONE = 96;
const BESIDE = 48;

/** What is asked for besides the result. */
export interface Wish {
  /** Compare the result with the interpreter's. */
  readonly verify?: boolean;
  /** Time so many runs. */
  readonly bench?: number;
  /** What is to run it; the server chooses if nothing is said. */
  readonly backend?: string;
}

/** A result that is shown in a document. */
interface Shown {
  readonly result: RunResult;
  /** The line with the name of the definition. */
  readonly line: number;
}

/** What the status bar says of a run that is over. */
interface Outcome {
  readonly text: string;
  readonly tooltip: string;
}

export class Runs
  implements vscode.CodeLensProvider, vscode.TextDocumentContentProvider, vscode.Disposable
{
  private readonly output = vscode.window.createOutputChannel("RISE runs");
  /** Marks nothing: it carries the hover of a definition with a result. */
  private readonly hovered = vscode.window.createTextEditorDecorationType({});
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly pagesChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.pagesChanged.event;
  /** The texts of the documents that show whole results. */
  private readonly pages = new Map<string, string>();
  private lenses: vscode.Disposable | undefined;
  /** What came of the last run; nothing, if there was none. */
  private outcome: Outcome | undefined;
  /** Where the status bar says so, or what runs. */
  private readonly last = vscode.window.createStatusBarItem(
    "rise.lastRun",
    vscode.StatusBarAlignment.Right,
  );
  /** The results of each document, by definition. */
  private readonly shown = new Map<string, Map<string, Shown>>();
  private readonly own: vscode.Disposable[];
  private count = 0;

  constructor(
    private readonly session: Session,
    private readonly memory: vscode.Memento,
  ) {
    this.last.name = "RISE: Last Run";
    this.last.command = "rise.showRuns";
    this.own = [
      this.output,
      this.hovered,
      this.lensesChanged,
      this.pagesChanged,
      this.last,
      vscode.workspace.registerTextDocumentContentProvider(RESULT_SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // A result belongs to a text.
        if (contentChanges.length > 0 && this.shown.delete(document.uri.toString())) {
          this.draw(document.uri);
          this.lensesChanged.fire();
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.shown.delete(document.uri.toString());
      }),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.lensesChanged.fire()),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.draw(editor.document.uri);
      }),
    ];
  }

  dispose(): void {
    this.lenses?.dispose();
    for (const part of this.own) part.dispose();
  }

  /**
   * Offers results as lenses. VS Code puts the provider that came last first within a line, so this
   * is done again when a server has started, which offers lenses too.
   */
  register(): void {
    this.lenses?.dispose();
    const selector = PROGRAMS.map((language) => ({ language }));
    this.lenses = vscode.languages.registerCodeLensProvider(selector, this);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const all = this.shown.get(document.uri.toString()) ?? new Map<string, Shown>();
    const isAlone = vscode.window.tabGroups.all.length === 1;
    const lines = document.getText().split(/\r?\n/);
    return [...all].map(([def, { result, line }]) => {
      const at = firstLine(lines, line);
      return new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
        title: isAlone ? inline(result, ALONE) : short(result, BESIDE),
        tooltip: report(result).join("\n"),
        command: "rise.showResult",
        arguments: [document.uri.toString(), def],
      });
    });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.pages.get(uri.toString()) ?? "";
  }

  /** Shows a whole result beside its program. */
  async showResult(document: unknown, def: unknown): Promise<void> {
    const shown = typeof document === "string" ? this.shown.get(document)?.get(String(def)) : undefined;
    if (shown === undefined) return;
    const uri = vscode.Uri.from({
      scheme: RESULT_SCHEME,
      path: `/${String(def)} (result).txt`,
      query: String(document),
    });
    this.pages.set(uri.toString(), page(shown.result));
    this.pagesChanged.fire(uri);
    const text = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(text, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
  }

  /** Shows what all runs said. */
  reveal(): void {
    this.output.show(true);
  }

  /**
   * Runs a definition, or the one at the cursor if none is named. Sizes that were asked for once are asked for again
   * if `asks` is set.
   */
  async run(at: Place | undefined, wish: Wish = {}, asks = false): Promise<void> {
    const found = await source(at);
    if (found === undefined || !isProgram(found.document.languageId)) {
      await vscode.window.showInformationMessage("There is no open file of RISE or DPIA to run.");
      return;
    }
    if (!vscode.workspace.isTrusted) {
      await vscode.window.showInformationMessage("Programs run in trusted workspaces only.");
      return;
    }
    const client = await this.session.need();
    if (client === undefined) return;
    const uri = client.code2ProtocolConverter.asUri(found.document.uri);
    const lines = found.document.getText().split(/\r?\n/);
    const def = at?.def ?? definitionAt(lines, found.position.line) ?? "";
    const key = `rise.sizes ${uri} ${def}`;
    let given = this.memory.get<Record<string, number>>(key, {});
    if (asks) {
      const annotated = annotatedSizes(lines, lineOf(found.document, def) ?? 0);
      const last = this.shown.get(found.document.uri.toString())?.get(def)?.result.sizes ?? { ...annotated, ...given };
      const names = Object.keys(last);
      const chosen = names.length === 0 ? {} : await askSizes(def, names, last);
      if (chosen === undefined) return;
      given = chosen;
      await this.memory.update(key, given);
    }
    const params = {
      textDocument: { uri },
      ...(at === undefined ? { position: found.position } : { def: at.def }),
      ...(at?.backend === undefined ? {} : { backend: at.backend }),
      ...(at?.bench === undefined ? {} : { bench: at.bench }),
      ...wish,
      value: false,
    };
    for (;;) {
      const result = await this.ask({ ...params, sizes: given }, def === "" ? "a definition" : def);
      const missing = result?.missingSizes ?? [];
      if (result === undefined) return;
      if (missing.length === 0) {
        // Sizes that do not fit are asked for again the next time.
        if (result.kind === "request") await this.memory.update(key, undefined);
        // An answer without a result does not say whose it is.
        this.show(found.document, found.position.line, def === "" ? result : { ...result, def: result.def ?? def });
        return;
      }
      // Nothing runs while the user is asked.
      this.rest(this.outcome);
      const chosen = await askSizes(def, missing, given);
      if (chosen === undefined) return;
      given = { ...given, ...chosen };
      await this.memory.update(key, given);
    }
  }

  /** Says in the status bar what came of the last run. */
  private rest(outcome: Outcome | undefined): void {
    this.outcome = outcome;
    if (outcome === undefined) return this.last.hide();
    this.last.text = outcome.text;
    this.last.tooltip = outcome.tooltip;
    this.last.show();
  }

  /** Asks the server, while a notification shows what is being done and can stop it. */
  private async ask(params: object, def: string): Promise<RunResult | undefined> {
    const client = this.session.running;
    if (client === undefined) return undefined;
    const workDoneToken = `rise/run/editor/${this.count++}`;
    this.last.text = `$(sync~spin) ${def}`;
    this.last.tooltip = "It runs";
    this.last.show();
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: `Running ${def}`,
      cancellable: true,
    };
    try {
      return await vscode.window.withProgress(options, async (progress, token) => {
        const listener = client.onProgress(WorkDoneProgress.type, workDoneToken, (stage) => {
          if (stage.kind === "report" && stage.message !== undefined) {
            progress.report({ message: stage.message });
          }
        });
        try {
          return await client.sendRequest<RunResult>(
            "rise/run",
            { ...params, workDoneToken },
            token,
          );
        } catch (error) {
          this.rest({ text: `$(circle-slash) ${def}`, tooltip: "The last run gave no result" });
          if (token.isCancellationRequested) return undefined;
          throw error;
        } finally {
          listener.dispose();
        }
      });
    } catch (error) {
      await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  private show(document: vscode.TextDocument, near: number, result: RunResult): void {
    const lines = report(result);
    this.output.appendLine([...lines, ""].join("\n"));
    this.rest({ text: brief(result), tooltip: lines.join("\n") });
    const line = lineOf(document, result.def) ?? Math.min(near, document.lineCount - 1);
    const key = document.uri.toString();
    const all = this.shown.get(key) ?? new Map<string, Shown>();
    all.set(result.def ?? "", { result, line });
    this.shown.set(key, all);
    this.draw(document.uri);
    this.lensesChanged.fire();
    if (isNews(result)) this.output.show(true);
    if (result.error !== undefined) void this.complain(result);
  }

  private async complain(result: RunResult): Promise<void> {
    const first = result.errors?.[0];
    // A notification has no lines: the rest is where the error is, or in the output.
    const isWhole = first === undefined && result.error?.includes("\n") !== true;
    const ways = isWhole ? [] : ["Show"];
    if ((await vscode.window.showErrorMessage(notice(result), ...ways)) !== "Show") return;
    if (first === undefined) {
      this.output.show(true);
    } else {
      const { line, character } = first.range.start;
      const at = new vscode.Range(line, character, line, character);
      await vscode.window.showTextDocument(vscode.Uri.parse(first.uri), { selection: at });
    }
  }

  private draw(uri: vscode.Uri): void {
    const all = [...(this.shown.get(uri.toString())?.values() ?? [])];
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() !== uri.toString()) continue;
      const hovers = all.map(({ result, line }): vscode.DecorationOptions => {
        const hoverMessage = new vscode.MarkdownString();
        hoverMessage.appendCodeblock(report(result).join("\n"), "text");
        return { range: editor.document.lineAt(line).range, hoverMessage };
      });
      editor.setDecorations(this.hovered, hovers);
    }
  }
}

/** Asks for sizes to run with, and proposes those that are known. */
async function askSizes(
  def: string,
  names: readonly string[],
  known: Readonly<Record<string, number>>,
): Promise<Record<string, number> | undefined> {
  const written = await vscode.window.showInputBox({
    title: `Run ${def}`,
    prompt: "Sizes to run with; `@run(…)` above the definition says them for good",
    value: names.map((name) => `${name} = ${known[name] ?? 16}`).join(", "),
    validateInput: (text) => {
      const numbers = sizesOf(names, text);
      const absent = names.filter((name) => numbers[name] === undefined);
      return absent.length > 0 ? `There is no number for ${absent.join(", ")}` : undefined;
    },
  });
  return written === undefined ? undefined : sizesOf(names, written);
}

interface Source {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

async function source(at: Place | undefined): Promise<Source | undefined> {
  if (at === undefined) {
    const editor = vscode.window.activeTextEditor;
    return editor && { document: editor.document, position: editor.selection.active };
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(at.uri));
  const { line, character } = at.position;
  return { document, position: new vscode.Position(line, character) };
}

/** Where a definition begins. */
export function lineOf(document: vscode.TextDocument, def: string | undefined): number | undefined {
  if (def === undefined) return undefined;
  for (let line = 0; line < document.lineCount; line++) {
    const match = /^\s*def\s+([^\s:=]+)/.exec(document.lineAt(line).text);
    if (match?.[1] === def) return line;
  }
  return undefined;
}

/** Runs a definition, or the one at the cursor if none is named. Only in a trusted workspace. */
export async function runInTerminal(session: Session, at?: Place): Promise<void> {
  const found = await source(at);
  const document = found?.document;
  if (document === undefined || !isProgram(document.languageId)) {
    await vscode.window.showInformationMessage("There is no open file of RISE or DPIA to run.");
    return;
  }
  if (!vscode.workspace.isTrusted) {
    await vscode.window.showInformationMessage("Programs run in trusted workspaces only.");
    return;
  }
  await session.need();
  const command = session.command;
  if (command === undefined) return;
  if (document.uri.scheme !== "file" || !(await document.save())) {
    await vscode.window.showInformationMessage("Only a saved file can be run in a terminal.");
    return;
  }
  const backend = at?.backend === undefined ? [] : ["--backend", at.backend];
  const device = vscode.workspace.getConfiguration("rise").get<string>("device", "");
  const on = at?.backend === "opencl" && device !== "" ? ["--device", device] : [];
  const lines = document.getText().split(/\r?\n/);
  const def = at?.def ?? definitionAt(lines, found?.position.line ?? 0);
  const chosen = def === undefined ? [] : ["--def", def];
  const task = new vscode.Task(
    { type: "rise", command: "run", path: document.uri.fsPath },
    vscode.TaskScope.Workspace,
    def === undefined ? "Run" : `Run ${def}`,
    "RISE",
    new vscode.ProcessExecution(command, ["run", document.uri.fsPath, ...chosen, ...backend, ...on]),
  );
  task.presentationOptions = { clear: true, reveal: vscode.TaskRevealKind.Always };
  await vscode.tasks.executeTask(task);
}
