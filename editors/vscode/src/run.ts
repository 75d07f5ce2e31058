// Running a definition: in a terminal, where one sees what is called, and can stop it.

import * as vscode from "vscode";
import { isServed } from "./languages";
import type { Place } from "./place";
import type { Session } from "./session";

/** Runs a definition, or the file's program if none is named. Only in a trusted workspace. */
export async function run(session: Session, at?: Place): Promise<void> {
  const command = session.command;
  const document =
    at === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(vscode.Uri.parse(at.uri));
  if (document === undefined || !isServed(document.languageId) || command === undefined) {
    await vscode.window.showInformationMessage("Running needs an open file of RISE or DPIA and a server.");
    return;
  }
  if (!vscode.workspace.isTrusted) {
    await vscode.window.showInformationMessage("Programs run in trusted workspaces only.");
    return;
  }
  if (document.uri.scheme !== "file" || !(await document.save())) {
    await vscode.window.showInformationMessage("Only a saved file can be run.");
    return;
  }
  const def = at === undefined ? [] : ["--def", at.def];
  const name = at === undefined ? "Run" : `Run ${at.def}`;
  const task = new vscode.Task(
    { type: "rise" },
    vscode.TaskScope.Workspace,
    name,
    "RISE",
    new vscode.ProcessExecution(command, ["run", document.uri.fsPath, ...def]),
  );
  task.presentationOptions = { clear: true, reveal: vscode.TaskRevealKind.Always };
  await vscode.tasks.executeTask(task);
}
