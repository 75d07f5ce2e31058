// The OpenCL devices of the machine: which one programs are for.

import * as vscode from "vscode";
import { configure } from "./configure";
import { describe, type Device, setting } from "./device";
import type { Session } from "./session";

interface Choice extends vscode.QuickPickItem {
  /** What the setting becomes. */
  readonly value: string;
}

/** Asks the server which devices there are, and the user for one of them. */
export async function chooseDevice(session: Session): Promise<void> {
  const client = await session.need();
  if (client === undefined) return;
  if (!vscode.workspace.isTrusted) {
    await vscode.window.showInformationMessage("Programs run in trusted workspaces only.");
    return;
  }
  const options = { location: vscode.ProgressLocation.Window, title: "Looking for OpenCL devices" };
  try {
    const { devices, error } = await vscode.window.withProgress(options, () =>
      client.sendRequest<{ devices: readonly Device[]; error?: string }>("rise/devices", {}),
    );
    if (error !== undefined) {
      await vscode.window.showWarningMessage(error);
      return;
    }
    const set = vscode.workspace.getConfiguration("rise").get<string>("device", "");
    const any: Choice = {
      label: "Any",
      detail: "programs are checked for the device assumed by default, and run on the first one",
      value: "",
    };
    const choices = [any, ...devices.map((device): Choice => ({ ...describe(device), value: setting(device, devices) }))];
    const chosen = await vscode.window.showQuickPick(
      choices.map((choice) => (choice.value === set ? { ...choice, description: "chosen" } : choice)),
      { placeHolder: "The device that OpenCL programs are checked for and run on", matchOnDetail: true },
    );
    if (chosen === undefined) return;
    await configure("device", chosen.value);
  } catch (error) {
    await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}
