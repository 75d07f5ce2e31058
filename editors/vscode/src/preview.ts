// Previews: what a definition becomes on its way to running code, beside its source, while one types.
// The server makes the text and says which part comes from where; this shows it, and marks in one
// editor what the cursor of the other one stands on.

import * as vscode from "vscode";
import { isProgram } from "./languages";
import { innermost, made, type Part, type Position, type Range } from "./parts";
import type { Place } from "./place";
import type { Session } from "./session";

export const PREVIEW_SCHEME = "rise-preview";

export interface Preview {
  def: string;
  as: string;
  title: string;
  language: string;
  text: string;
  map: Part[];
  errors: { message: string; range: Range }[];
}

export type PreviewChanged = Preview & { textDocument: { uri: string } };

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
];

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

  constructor(private readonly session: Session) {
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

  /** Shows the definition at the cursor in a form that the user picks, beside its source. */
  async open(at?: Place): Promise<void> {
    const editor =
      at === undefined
        ? vscode.window.activeTextEditor
        : await vscode.window.showTextDocument(vscode.Uri.parse(at.uri));
    const client = this.session.running;
    if (editor === undefined || !isProgram(editor.document.languageId) || client === undefined) {
      await vscode.window.showInformationMessage("A preview needs an open file of RISE or DPIA and a server.");
      return;
    }
    const form = await vscode.window.showQuickPick(formsFor(at?.target), {
      placeHolder: "Show the definition as",
    });
    if (form === undefined) return;
    const document = editor.document.uri;
    try {
      const preview = await client.sendRequest<Preview>("rise/preview", {
        textDocument: { uri: client.code2ProtocolConverter.asUri(document) },
        position: at?.position ?? client.code2ProtocolConverter.asPosition(editor.selection.active),
        as: form.as,
      });
      const uri = address(document, preview.def, form.as, form.extension);
      this.keep(uri, document, preview);
      const text = await vscode.workspace.openTextDocument(uri);
      await vscode.languages.setTextDocumentLanguage(text, await known(preview.language));
      await vscode.window.showTextDocument(text, {
        viewColumn: vscode.ViewColumn.Beside,
        preserveFocus: true,
        preview: false,
      });
      this.selected(editor);
    } catch (error) {
      await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** An edit has changed a preview. */
  update(params: PreviewChanged): void {
    const client = this.session.running;
    if (client === undefined) return;
    const document = client.protocol2CodeConverter.asUri(params.textDocument.uri);
    const extension = FORMS.find((form) => form.as === params.as)?.extension ?? "txt";
    const uri = address(document, params.def, params.as, extension);
    if (!this.shown.has(uri.toString())) return;
    this.keep(uri, document, params);
    this.changed.fire(uri);
  }

  /** Asks a server that has just started for the previews that are shown, which it then keeps up to date. */
  async renew(): Promise<void> {
    for (const [key, { document, preview }] of [...this.shown]) {
      const client = this.session.running;
      if (client === undefined) return;
      const textDocument = { uri: client.code2ProtocolConverter.asUri(document) };
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
    void client?.sendNotification("rise/previewClosed", {
      textDocument: { uri: client.code2ProtocolConverter.asUri(shown.document) },
      def: shown.preview.def,
      as: shown.preview.as,
    });
  }

  /** Marks in the other editor what the cursor stands on. What was marked here is no counterpart any more. */
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

/** The forms, that of the definition's own target first. */
function formsFor(target: string | null | undefined): readonly Form[] {
  const own = FORMS.filter((form) => form.as === target);
  return [...own, ...FORMS.filter((form) => form.as !== target)];
}

/** A language that this editor has: OpenCL is C for one without it. */
async function known(language: string): Promise<string> {
  if (language !== "opencl") return language;
  return (await vscode.languages.getLanguages()).includes(language) ? language : "c";
}

/** The text of a preview; while the program has errors, they stand above the last text. */
function content(shown: Shown): string {
  if (shown.preview.errors.length === 0) return shown.text;
  const comment = shown.preview.errors.map((error) =>
    error.message
      .split("\n")
      .map((line) => `// ${line}`)
      .join("\n"),
  );
  return [...comment, "", shown.text].join("\n");
}

function address(document: vscode.Uri, def: string, as: string, extension: string): vscode.Uri {
  return vscode.Uri.from({
    scheme: PREVIEW_SCHEME,
    path: `/${def} (${as}).${extension}`,
    query: document.toString(),
  });
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
