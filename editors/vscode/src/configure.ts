// Settings that the extension changes for the user.

import * as vscode from "vscode";

/** Changes a setting of RISE where it is set already, so that the change counts. */
export async function configure(name: string, value: string): Promise<void> {
  const settings = vscode.workspace.getConfiguration("rise");
  const inWorkspace = settings.inspect(name)?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update(name, value, target);
}
