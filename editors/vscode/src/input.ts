// A line of text that is asked for.

import * as vscode from "vscode";
import { sentence } from "./strategies";

/** What is asked for. */
export interface Question {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  /** Why the value, which was given before, is refused. */
  readonly why?: string | undefined;
  /** Says what is wrong with a text; nothing if it may be given. */
  readonly misfit: (text: string) => string | undefined;
}

/** Asks for a line of text. Nothing is given if the user leaves. */
export function line({ title, prompt, placeholder, value = "", why, misfit }: Question): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  const refused = why && sentence(why);
  const wrong = (text: string): string | undefined => (text === value && refused ? refused : misfit(text));
  box.title = title;
  box.prompt = prompt;
  box.placeholder = placeholder;
  box.value = value;
  box.valueSelection = why === undefined ? [0, value.length] : [value.length, value.length];
  box.validationMessage = refused;
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    box.onDidChangeValue((text) => (box.validationMessage = wrong(text)));
    box.onDidAccept(() => {
      box.validationMessage = wrong(box.value);
      if (box.validationMessage !== undefined) return;
      resolve(box.value);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
