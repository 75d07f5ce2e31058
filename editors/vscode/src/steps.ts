// Stepping through a strategy: the program after each step beside its source, as a document like any
// other, with types, hovers and previews; the steps in a list of their own.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type Aim, apply, ask, choose, complain, here, mended, type Recorder, working } from "./apply";
import type { Range } from "./parts";
import type { Session } from "./session";
import { STEP_SCHEME } from "./scheme";
import {
  described,
  neighbour,
  position,
  type Row,
  rows,
  type Step,
  type Steps,
  stopsOf,
} from "./strategies";

/** How long the source rests before a strategy is tried again on what it has become. */
const REST_MS = 400;

interface Shown {
  readonly aim: Aim;
  readonly steps: Steps;
  /** The last text that there was: it stays while the program has errors. */
  readonly text: string;
}

/** The first row of the list. */
const START = { start: true } as const;

type Node =
  | { readonly row: Row }
  | { readonly part: Step }
  | { readonly failure: string }
  | { readonly start: true };

export class Stepping
  implements
    vscode.TextDocumentContentProvider,
    vscode.TreeDataProvider<Node>,
    vscode.CodeLensProvider,
    vscode.Disposable
{
  private shown: Shown | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly listed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.listed.event;
  private readonly list: vscode.TreeView<Node>;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
    overviewRulerColor: new vscode.ThemeColor("diffEditorOverview.insertedForeground"),
  });
  private readonly origin = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.wordHighlightForeground"),
  });
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly own: vscode.Disposable[];
  private rest: NodeJS.Timeout | undefined;
  /** The question that is open: a later one stops it. */
  private open = new vscode.CancellationTokenSource();

  constructor(
    private readonly session: Session,
    private readonly recorder: Recorder,
  ) {
    this.list = vscode.window.createTreeView("rise.steps", { treeDataProvider: this });
    this.own = [
      this.changed,
      this.listed,
      this.list,
      this.mark,
      this.origin,
      this.lensesChanged,
      vscode.languages.registerCodeLensProvider({ scheme: STEP_SCHEME }, this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const uri = document.uri.toString();
        if (uri === this.shown?.aim.document.toString() && contentChanges.length > 0) this.again();
        if (document.uri.scheme === STEP_SCHEME) this.draw();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      // The document of a tab that is closed lives on for minutes.
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        const aim = this.shown?.aim;
        if (aim !== undefined && closed.some((tab) => shows(tab, address(aim)))) this.close();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.rest);
    this.open.dispose();
    for (const part of this.own) part.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const shown = this.shown;
    return shown !== undefined && uri.toString() === address(shown.aim).toString() ? shown.text : "";
  }

  /** Asks for a strategy for the definition at the cursor, and shows its first step. */
  async start(): Promise<void> {
    const at = await here(this.session);
    if (at === undefined) return;
    try {
      const chosen = await choose(at, "Step through a strategy for");
      const found = chosen && (await this.tried(at.client, chosen));
      if (found === undefined) return;
      const { aim, steps } = found;
      if (steps.steps.length === 0) {
        if (steps.failure === null) {
          await vscode.window.showInformationMessage(`The strategy leaves ${aim.def} as it is.`);
        } else {
          await complain(steps.failure.message);
        }
        return;
      }
      this.close();
      this.shown = { aim, steps, text: steps.text ?? at.editor.document.getText() };
      await this.go(stopsOf(steps.steps)[1] ?? 0);
      await this.reveal();
    } catch (error) {
      await complain(error);
    }
  }

  /** The steps of a strategy; the user may mend one that is written wrong. */
  private async tried(
    client: LanguageClient,
    chosen: Aim,
  ): Promise<{ readonly aim: Aim; readonly steps: Steps } | undefined> {
    let aim: Aim | undefined = chosen;
    while (aim !== undefined) {
      const tried: Aim = aim;
      try {
        const title = `Rewriting ${tried.def}`;
        const steps = await working(title, (token) => ask(client, tried, undefined, undefined, token));
        return { aim: tried, steps };
      } catch (error) {
        aim = await mended(tried, error instanceof Error ? error.message : String(error));
      }
    }
    return undefined;
  }

  /** Ends stepping: the program stays as it is. */
  stop(): void {
    this.close();
  }

  /** What can be done at the step that is shown, above what it has changed. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.shown;
    if (shown === undefined || document.uri.toString() !== address(shown.aim).toString()) return [];
    const { steps } = shown;
    const at = (steps.changed ?? steps.place)?.start.line ?? 0;
    const step = last(steps);
    const assumed = step === undefined || step.assumptions.length === 0 ? "" : `, assumes ${step.assumptions.join(", ")}`;
    // What cannot be done is shown without a command, so that nothing moves from step to step.
    const lens = (title: string, command: string, applies = true): vscode.CodeLens =>
      new vscode.CodeLens(new vscode.Range(at, 0, at, 0), { title, command: applies ? command : "" });
    return [
      lens("$(arrow-left) Previous", "rise.previousStep", steps.step > 0),
      lens("Next $(arrow-right)", "rise.nextStep", steps.step < steps.steps.length),
      lens("Apply up to Here", "rise.applySteps", steps.step > 0),
      lens("Stop", "rise.stopStepping"),
      lens(`${position(steps.steps, steps.step)}${assumed}`, "rise.showSteps"),
    ];
  }

  /** Shows the next or the previous step. */
  async move(way: "next" | "previous"): Promise<void> {
    const steps = this.shown?.steps;
    if (steps === undefined) return;
    await this.go(neighbour(steps.steps, steps.step, way));
  }

  /** Makes the steps that are shown, as one edit. */
  async applySoFar(): Promise<void> {
    const shown = this.shown;
    if (shown === undefined) return;
    const { aim, steps } = shown;
    const whole = steps.step === steps.steps.length && steps.failure === null;
    if (!(await apply(this.session, aim, whole ? undefined : steps.step))) return;
    this.close();
    // A part of a strategy has no name of its own.
    if (whole) this.recorder.offer(aim.document, aim.def, aim.strategy);
  }

  /** Shows the program after so many steps. */
  async go(done: number): Promise<void> {
    const client = this.session.running;
    const shown = this.shown;
    if (client === undefined || shown === undefined) return;
    this.open.cancel();
    this.open.dispose();
    this.open = new vscode.CancellationTokenSource();
    const { token } = this.open;
    const since = neighbour(shown.steps.steps, done, "previous");
    try {
      const steps = await ask(client, shown.aim, done, since, token);
      if (token.isCancellationRequested || this.shown?.aim !== shown.aim) return;
      this.shown = { aim: shown.aim, steps, text: steps.text ?? shown.text };
      this.changed.fire(address(shown.aim));
      this.listed.fire();
      await vscode.commands.executeCommand("setContext", "rise.stepping", true);
      // VS Code writes the words of a title with capitals, so that it names nothing.
      this.list.description = `${steps.def}: ${shown.aim.strategy}, ${position(steps.steps, steps.step)}`;
      this.draw();
    } catch (error) {
      if (!token.isCancellationRequested) await complain(error);
    }
  }

  // ----- the list -----

  getChildren(node?: Node): Node[] {
    const steps = this.shown?.steps;
    if (steps === undefined) return [];
    if (node === undefined) {
      const failure = steps.failure === null ? [] : [{ failure: steps.failure.message }];
      return [START, ...rows(steps.steps).map((row) => ({ row })), ...failure];
    }
    return "row" in node && node.row.kind === "tidying" ? node.row.steps.map((part) => ({ part })) : [];
  }

  /** Every row that is revealed is one of the first level. */
  getParent(): undefined {
    return undefined;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const at = this.shown?.steps.step ?? 0;
    if ("start" in node) {
      return line("as it is written", at === 0 ? "debug-stackframe" : "circle-outline", 0);
    }
    if ("failure" in node) {
      const [first, ...rest] = node.failure.split("\n");
      const item = new vscode.TreeItem(first ?? "");
      item.iconPath = new vscode.ThemeIcon("error");
      item.tooltip = [first, ...rest].join("\n");
      return item;
    }
    if ("part" in node) {
      const item = new vscode.TreeItem(node.part.rule);
      item.description = times(node.part.count);
      return item;
    }
    const { row } = node;
    if (row.kind === "tidying") {
      const item = new vscode.TreeItem("normal forms", vscode.TreeItemCollapsibleState.Collapsed);
      item.description = times(row.count);
      item.iconPath = new vscode.ThemeIcon("list-tree");
      return item;
    }
    // What tidies up after a step is shown with it.
    const stops = stopsOf(this.shown?.steps.steps ?? []);
    const stop = stops.find((stop) => stop >= row.done) ?? row.done;
    const item = line(`${row.number}. ${row.step.rule}`, icon(at, stop), stop);
    item.tooltip = new vscode.MarkdownString(described(row.step));
    const assumed = row.step.assumptions.length === 0 ? "" : `assumes ${row.step.assumptions.join(", ")}`;
    item.description = [row.step.strategies.at(-1) ?? "", assumed].filter((text) => text !== "").join(" · ");
    return item;
  }

  // ----- the two texts -----

  /** Tries the strategy again on a source that has changed. */
  private again(): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => void this.go(this.shown?.steps.step ?? 0), REST_MS);
  }

  private async reveal(): Promise<void> {
    const shown = this.shown;
    if (shown === undefined) return;
    const document = await vscode.workspace.openTextDocument(address(shown.aim));
    await vscode.languages.setTextDocumentLanguage(document, "rise");
    const at = shown.steps.changed ?? shown.steps.place;
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
      ...(at === null ? {} : { selection: range({ start: at.start, end: at.start }) }),
    });
    this.draw();
    await this.unfold();
  }

  /** Opens the list of steps, which may be folded below the other views of its container. */
  private async unfold(): Promise<void> {
    try {
      await this.list.reveal(START, { select: false, focus: false });
    } catch (error) {
      this.session.output.appendLine(`The list of steps is not shown: ${String(error)}`);
    }
  }

  /** Marks what the step has changed, and where that was in the source. */
  private draw(): void {
    this.lensesChanged.fire();
    const shown = this.shown;
    const step = shown && last(shown.steps);
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri;
      if (uri.scheme === STEP_SCHEME) {
        const changed = shown?.steps.changed ?? null;
        const ours = shown !== undefined && uri.toString() === address(shown.aim).toString();
        const ranges = ours && changed !== null ? [range(changed)] : [];
        editor.setDecorations(
          this.mark,
          ranges.map((range) => ({ range, hoverMessage: step && new vscode.MarkdownString(described(step)) })),
        );
        // Its first column, so that the editor is not scrolled sideways.
        const [first] = ranges;
        const begin = first?.start.with({ character: 0 });
        if (begin) editor.revealRange(new vscode.Range(begin, begin), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      } else if (uri.toString() === shown?.aim.document.toString()) {
        editor.setDecorations(this.origin, step?.range === undefined ? [] : [range(step.range)]);
      } else {
        editor.setDecorations(this.origin, []);
      }
    }
  }

  /** Forgets the strategy. */
  private close(): void {
    const aim = this.shown?.aim;
    this.shown = undefined;
    this.open.cancel();
    clearTimeout(this.rest);
    this.draw();
    this.listed.fire();
    void vscode.commands.executeCommand("setContext", "rise.stepping", false);
    if (aim === undefined) return;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    void vscode.window.tabGroups.close(tabs.filter((tab) => shows(tab, address(aim))));
  }
}

/** Returns `true` if a tab shows a document. */
function shows({ input }: vscode.Tab, uri: vscode.Uri): boolean {
  return input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
}

/** The document that shows the steps of a strategy: it stands beside the source, whose imports it has. */
function address({ document, def }: Aim): vscode.Uri {
  const folder = document.path.slice(0, document.path.lastIndexOf("/"));
  return vscode.Uri.from({ scheme: STEP_SCHEME, path: `${folder}/${def} (steps).rise` });
}

/** The last step that is done and no housekeeping. */
function last({ steps, step }: Steps): Step | undefined {
  return steps.slice(0, step).findLast(({ housekeeping }) => !housekeeping);
}

function range({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function line(label: string, icon: string, stop: number): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.command = { command: "rise.stepTo", title: "Show This Step", arguments: [stop] };
  return item;
}

function icon(at: number, stop: number): string {
  if (at === stop) return "debug-stackframe";
  return at > stop ? "pass" : "circle-outline";
}

const times = (count: number): string => (count === 1 ? "1 step" : `${count} steps`);
