// What a diagnostic means, with a wrong and a right program: its section of the error reference.

import * as vscode from "vscode";
import { EXPLAIN_SCHEME } from "./scheme";
import type { Session } from "./session";

/** The code of a diagnostic, which may be a link. */
function codeOf({ source, code }: vscode.Diagnostic): string | undefined {
  if (source !== "rise") return undefined;
  return String(typeof code === "object" ? code.value : code);
}

/** The explanations of diagnostics, as documents. */
export class Meanings implements vscode.TextDocumentContentProvider {
  constructor(private readonly session: Session) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const client = this.session.running;
    if (client === undefined) throw new Error("The RISE server, which has the explanations, does not run.");
    const code = uri.path.replace(/^\/|\.md$/g, "");
    const { text } = await client.sendRequest<{ text: string }>("rise/explainDiagnostic", { code });
    return text;
  }

  /** Explains a diagnostic: the one that is named, or one at the cursor. */
  async show(named?: unknown): Promise<void> {
    const code = typeof named === "string" ? named : await this.atCursor();
    if (code === undefined || (await this.session.need()) === undefined) return;
    const uri = vscode.Uri.from({ scheme: EXPLAIN_SCHEME, authority: "code", path: `/${code}.md` });
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  private async atCursor(): Promise<string | undefined> {
    const editor = vscode.window.activeTextEditor;
    const line = editor?.selection.active.line;
    const all = editor === undefined ? [] : vscode.languages.getDiagnostics(editor.document.uri);
    const here = all.filter(({ range }) => line !== undefined && range.start.line <= line && line <= range.end.line);
    const codes = [...new Set(here.map(codeOf).filter((code) => code !== undefined))];
    if (codes.length === 0) {
      await vscode.window.showInformationMessage("RISE reports nothing in this line.");
      return undefined;
    }
    return codes.length === 1 ? codes[0] : vscode.window.showQuickPick(codes, { title: "Explain" });
  }
}
