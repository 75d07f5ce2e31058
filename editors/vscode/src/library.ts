// The standard library is written in RISE and lives inside the server: its files are shown from there.

import * as vscode from "vscode";
import type { Session } from "./session";

export const LIBRARY_SCHEME = "rise-std";

export class Library implements vscode.TextDocumentContentProvider {
  constructor(private readonly session: Session) {}

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const client = this.session.running;
    if (client === undefined) {
      throw new Error("The RISE server, which holds the standard library, does not run.");
    }
    const params = { uri: client.code2ProtocolConverter.asUri(uri) };
    const { text } = await client.sendRequest<{ text: string }>(
      "rise/virtualDocument",
      params,
      token,
    );
    return text;
  }
}
