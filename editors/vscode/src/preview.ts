// Previews: what a definition becomes on its way to running code, beside its source, while one types.
// The server makes the text and says which part comes from where; this shows it, and marks in one
// editor what the cursor of the other one stands on.

import * as vscode from "vscode";
import { isProgram } from "./languages";
import { lower } from "./more";
import { commented, firstMade, innermost, made, type Part, type Position, type Range } from "./parts";
import type { Place } from "./place";
import { announcedPasses, type Passes, type Session } from "./session";

export const PREVIEW_SCHEME = "rise-preview";

export interface Preview {
  def: string;
  as: string;
  title: string;
  language: string;
  text: string;
  map: Part[];
  errors: { message: string; range: Range }[];
  /** The target to lower the definition for so that it has this form, if that is what it lacks. */
  lower?: string;
}

export type PreviewChanged = Preview & {
  textDocument: { uri: string };
  /** The name under which this is shown, if the definition has another one since. */
  renamedFrom?: string;
};

interface Shown {
  readonly document: vscode.Uri;
  readonly preview: Preview;
  /** The last text that there was: it stays while the program has errors. */
  readonly text: string;
  readonly map: Part[];
}

interface Form extends vscode.QuickPickItem {
  readonly as: string;
  readonly extension: string;
}

const FORMS: readonly Form[] = [
  { label: "C", as: "c", extension: "c", detail: "C99 for one thread" },
  { label: "OpenMP", as: "openmp", extension: "c", detail: "C99 with OpenMP" },
  { label: "OpenCL", as: "opencl", extension: "cl", detail: "kernels in OpenCL C" },
  {
    label: "Host Program for OpenCL",
    as: "opencl-host",
    extension: "c",
    detail: "C that launches the kernels",
  },
  {
    label: "Imperative DPIA",
    as: "dpia-imperative",
    extension: "dpia",
    detail: "loops, buffers and places",
  },
  {
    label: "Functional DPIA",
    as: "dpia",
    extension: "dpia",
    detail: "what is read and what is written",
  },
  {
    label: "RISE",
    as: "rise",
    extension: "rise",
    detail: "everything that the definition uses in its place",
  },
  {
    label: "Default Schedule",
    as: "schedule",
    extension: "elevate",
    detail: "the choices for the target, as a strategy",
  },
];

/** Leads to the passes of the compiler. */
const AFTER_PASS: Form = {
  label: "After a Pass…",
  as: "",
  extension: "c",
  detail: "the program as a pass of the compiler leaves it",
};

/** The form with a name; the name of one after a pass is `c:loops`. Others are targets that only the server knows. */
function formOf(as: string | null | undefined): Form | undefined {
  if (!as) return undefined;
  const other = { label: as.replace(":", " after "), as, extension: "c" };
  return FORMS.find((form) => form.as === as) ?? other;
}

/** A preview that was open when the window was closed. */
interface Remembered {
  readonly document: string;
  readonly def: string;
  readonly as: string;
  readonly column: vscode.ViewColumn;
}

/** Where the memory of the workspace has the form that was chosen last, and the open previews. */
const LAST_FORM = "rise.preview.form";

/** How long a definition has had a name, in milliseconds, before the tab of its preview gets it, too. */
const SETTLED = 800;

const OPEN = "rise.preview.open";

export class Previews
  implements vscode.TextDocumentContentProvider, vscode.HoverProvider, vscode.Disposable
{
  private readonly shown = new Map<string, Shown>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.wordHighlightForeground"),
  });
  private readonly own: vscode.Disposable[];

  /** Previews whose definitions have another name, with what puts it on the tab. */
  private readonly renaming = new Map<string, NodeJS.Timeout>();

  /** Whether the previews of the window before a reload are open again. */
  private restored = false;

  constructor(
    private readonly session: Session,
    private readonly memory: vscode.Memento,
  ) {
    this.own = [
      this.changed,
      this.mark,
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        // A new text moves the cursor of a preview too, where nobody put it.
        if (textEditor === vscode.window.activeTextEditor) this.selected(textEditor);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // Another text has its marks elsewhere.
        const editor = vscode.window.activeTextEditor;
        if (editor !== undefined && this.shown.has(document.uri.toString())) this.selected(editor);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)),
    ];
  }

  dispose(): void {
    for (const part of this.own) part.dispose();
    for (const timer of this.renaming.values()) clearTimeout(timer);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const shown = this.shown.get(uri.toString());
    return shown === undefined ? "" : content(shown);
  }

  /** Says what made the text at a place. */
  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const shown = this.shown.get(document.uri.toString());
    const text = shown && made(shown.map, position);
    return text === undefined ? undefined : new vscode.Hover(new vscode.MarkdownString(text));
  }

  /**
   * Shows a definition beside its source: in the form of its target, else in one that the user
   * picks. Without a place it is the definition at the cursor, and the user picks.
   */
  async open(at?: Place): Promise<void> {
    const editor =
      at === undefined
        ? vscode.window.activeTextEditor
        : await vscode.window.showTextDocument(vscode.Uri.parse(at.uri));
    if (editor === undefined || !isProgram(editor.document.languageId)) {
      await vscode.window.showInformationMessage("There is no open file of RISE or DPIA to preview.");
      return;
    }
    const client = await this.session.need();
    if (client === undefined) return;
    const form = formOf(at?.target) ?? (await this.choose(announcedPasses(client)));
    if (form === undefined) return;
    const document = editor.document.uri;
    const position = at?.position ?? client.code2ProtocolConverter.asPosition(editor.selection.active);
    try {
      const uri = client.code2ProtocolConverter.asUri(document);
      const textDocument = { uri };
      const preview = await client.sendRequest<Preview>("rise/preview", { textDocument, position, as: form.as });
      const { def, lower: target } = preview;
      if (target === undefined) {
        await this.reveal(document, form, preview);
      } else if (await agreed(def, form.label)) {
        const lowered = await lower(this.session, { uri, position, def, target });
        if (lowered === undefined) return;
        const now = await client.sendRequest<Preview>("rise/preview", { textDocument, def: lowered, as: form.as });
        await this.reveal(document, form, now);
      } else {
        await client.sendNotification("rise/previewClosed", { textDocument, def, as: form.as });
        return;
      }
      this.selected(editor);
    } catch (error) {
      await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** Asks for a form; the one that was chosen last comes first. */
  private async choose(passes: Passes): Promise<Form | undefined> {
    const last = this.memory.get<string>(LAST_FORM);
    const others = Object.keys(passes).filter((target) => FORMS.every((form) => form.as !== target));
    const targets = others.map(formOf).filter((form) => form !== undefined);
    const forms = [...FORMS, ...targets, AFTER_PASS].sort((a, b) => Number(b.as === last) - Number(a.as === last));
    let form = await vscode.window.showQuickPick(forms, { placeHolder: "Show the definition as" });
    if (form === AFTER_PASS) {
      const all = Object.entries(passes).flatMap(([target, names]) => names.map((name) => formOf(`${target}:${name}`)));
      form = await vscode.window.showQuickPick(
        all.filter((form) => form !== undefined),
        { placeHolder: "Show the program of this target, after this pass" },
      );
    }
    if (form !== undefined) await this.memory.update(LAST_FORM, form.as);
    return form;
  }

  /** Shows a preview in an editor. */
  private async reveal(
    document: vscode.Uri,
    form: Form,
    preview: Preview,
    viewColumn?: vscode.ViewColumn,
  ): Promise<void> {
    const open = this.find(document, preview.def, form.as);
    const uri = open === undefined ? address(document, preview.def, form.as, form.extension) : vscode.Uri.parse(open);
    this.keep(uri, document, preview);
    await this.show(uri, preview, viewColumn);
    await this.remember();
  }

  private async show(
    uri: vscode.Uri,
    preview: Preview,
    viewColumn: vscode.ViewColumn = vscode.ViewColumn.Beside,
  ): Promise<void> {
    const text = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(text, await known(preview.language));
    const editor = await vscode.window.showTextDocument(text, { viewColumn, preserveFocus: true, preview: false });
    // Headers and checks come first, and may fill the window.
    const begin = firstMade(preview.map)?.start;
    if (begin !== undefined) {
      const line = new vscode.Range(begin.line, 0, begin.line, 0);
      editor.revealRange(line, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Writes down which previews are open: VS Code forgets them when a window is loaded again. */
  private async remember(): Promise<void> {
    const open = [...this.shown].map(([key, { document, preview: { def, as } }]): Remembered => {
      const column = tabOf(key)?.group.viewColumn ?? vscode.ViewColumn.Two;
      return { document: document.toString(), def, as, column };
    });
    await this.memory.update(OPEN, open);
  }

  /** Opens the previews that the window had before it was loaded again. */
  async restore(): Promise<void> {
    if (this.restored) return;
    this.restored = true;
    for (const { document, def, as, column } of this.memory.get<Remembered[]>(OPEN, [])) {
      const client = this.session.running;
      const form = formOf(as);
      if (client === undefined || form === undefined) continue;
      const source = vscode.Uri.parse(document);
      try {
        await vscode.workspace.openTextDocument(source);
        const textDocument = { uri: client.code2ProtocolConverter.asUri(source) };
        const preview = await client.sendRequest<Preview>("rise/preview", { textDocument, def, as });
        await this.reveal(source, form, preview, column);
      } catch (error) {
        this.session.output.appendLine(`The preview of ${def} is not opened again: ${String(error)}`);
      }
    }
    await this.remember();
  }

  /** An edit has changed a preview. */
  update(params: PreviewChanged): void {
    const client = this.session.running;
    if (client === undefined) return;
    const document = client.protocol2CodeConverter.asUri(params.textDocument.uri);
    const key = this.find(document, params.renamedFrom ?? params.def, params.as);
    if (key === undefined) return;
    const uri = vscode.Uri.parse(key);
    this.keep(uri, document, params);
    this.changed.fire(uri);
    if (params.renamedFrom === undefined) return;
    clearTimeout(this.renaming.get(key));
    this.renaming.set(
      key,
      setTimeout(() => void this.rename(key), SETTLED),
    );
  }

  /** The address of the preview of a definition, which may have had another name when it was opened. */
  private find(document: vscode.Uri, def: string, as: string): string | undefined {
    const found = [...this.shown].find(
      ([, { document: other, preview }]) =>
        other.toString() === document.toString() && preview.def === def && preview.as === as,
    );
    return found?.[0];
  }

  /** Shows a preview whose definition has another name under this name, in the place of its tab. */
  private async rename(key: string): Promise<void> {
    this.renaming.delete(key);
    const shown = this.shown.get(key);
    const form = formOf(shown?.preview.as);
    if (shown === undefined || form === undefined) return;
    const uri = address(shown.document, shown.preview.def, form.as, form.extension);
    if (uri.toString() === key) return;
    const tab = tabOf(key);
    this.shown.delete(key);
    this.shown.set(uri.toString(), shown);
    await this.show(uri, shown.preview, tab?.group.viewColumn);
    if (tab !== undefined) await vscode.window.tabGroups.close(tab, true);
    await this.remember();
  }

  /**
   * Asks a server that has just started for the previews that are shown, or for those of a document that
   * was opened again, which it then keeps up to date.
   */
  async renew(only?: string): Promise<void> {
    for (const [key, { document, preview }] of [...this.shown]) {
      const client = this.session.running;
      if (client === undefined) return;
      const textDocument = { uri: client.code2ProtocolConverter.asUri(document) };
      if (only !== undefined && only !== textDocument.uri) continue;
      const { def, as } = preview;
      try {
        const now = await client.sendRequest<Preview>("rise/preview", { textDocument, def, as });
        if (this.shown.has(key)) this.update({ ...now, textDocument });
      } catch (error) {
        this.session.output.appendLine(`The preview of ${def} is not renewed: ${String(error)}`);
      }
    }
  }

  private keep(uri: vscode.Uri, document: vscode.Uri, preview: Preview): void {
    const before = this.shown.get(uri.toString());
    const failed = preview.errors.length > 0;
    this.shown.set(uri.toString(), {
      document,
      preview,
      text: failed ? (before?.text ?? "") : preview.text,
      map: failed ? [] : preview.map,
    });
  }

  private closed(document: vscode.TextDocument): void {
    // One that gets another language is closed and opened again, and stays.
    const stays = (other: vscode.TextDocument): boolean => other.uri.toString() === document.uri.toString();
    if (vscode.workspace.textDocuments.some(stays)) return;
    const shown = this.shown.get(document.uri.toString());
    const client = this.session.running;
    if (shown === undefined) return;
    this.shown.delete(document.uri.toString());
    void this.remember();
    void client?.sendNotification("rise/previewClosed", {
      textDocument: { uri: client.code2ProtocolConverter.asUri(shown.document) },
      def: shown.preview.def,
      as: shown.preview.as,
    });
  }

  /** Marks in the other editor what the cursor stands on. What was marked here is not a counterpart any more. */
  private selected(editor: vscode.TextEditor): void {
    const cursor: Position = editor.selection.active;
    editor.setDecorations(this.mark, []);
    const own = this.shown.get(editor.document.uri.toString());
    if (own !== undefined) {
      const part = innermost(own.map, cursor, "target");
      for (const source of editors(own.document)) {
        show(source, this.mark, part === undefined ? [] : [part.source]);
      }
      return;
    }
    for (const [key, shown] of this.shown) {
      if (shown.document.toString() !== editor.document.uri.toString()) continue;
      const at = innermost(shown.map, cursor, "source");
      const parts = shown.map.filter((part) => at !== undefined && same(part.source, at.source));
      for (const target of editors(vscode.Uri.parse(key))) {
        show(
          target,
          this.mark,
          parts.map((part) => part.target),
        );
      }
    }
  }
}

/**
 * Asks whether a definition is to be lowered, which is written behind it. The question stays until it is answered:
 * a notification hides itself.
 */
async function agreed(def: string, target: string): Promise<boolean> {
  const question = `${def} does not say how its patterns are computed, so that it has no ${target} yet.`;
  const detail = `Lowering it writes a definition that says how behind ${def}.`;
  const yes = "Lower and Preview";
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, yes)) === yes;
}

/** A language that this editor has: OpenCL is C for one without it. */
async function known(language: string): Promise<string> {
  if (language !== "opencl") return language;
  return (await vscode.languages.getLanguages()).includes(language) ? language : "c";
}

/** The text of a preview; while the program has errors, they stand above the last text. */
function content(shown: Shown): string {
  if (shown.preview.errors.length === 0) return shown.text;
  return [...shown.preview.errors.map(commented), "", shown.text].join("\n");
}

function address(document: vscode.Uri, def: string, as: string, extension: string): vscode.Uri {
  return vscode.Uri.from({
    scheme: PREVIEW_SCHEME,
    path: `/${def} (${as}).${extension}`,
    query: document.toString(),
  });
}

/** The tab that shows the document with this address. */
function tabOf(address: string): vscode.Tab | undefined {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.find(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === address);
}

function editors(uri: vscode.Uri): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(
    (editor) => editor.document.uri.toString() === uri.toString(),
  );
}

function show(
  editor: vscode.TextEditor,
  mark: vscode.TextEditorDecorationType,
  ranges: Range[],
): void {
  const all = ranges.map(
    (range) =>
      new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character),
  );
  editor.setDecorations(mark, all);
  const first = all[0];
  if (first !== undefined) {
    editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function same(a: Range, b: Range): boolean {
  return (
    a.start.line === b.start.line &&
    a.start.character === b.start.character &&
    a.end.line === b.end.line &&
    a.end.character === b.end.character
  );
}
