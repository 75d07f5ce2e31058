// Rewrites that need more than an edit: those whose arguments the user is asked for, definitions
// lowered for a target, and what a rewrite did.

import * as vscode from "vscode";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { apply, complain, here, type Recorder } from "./apply";
import type { Place } from "./place";
import { EXPLAIN_SCHEME } from "./scheme";
import type { Session } from "./session";
import { type Asked, type Explained, explanation, filled, type Loop, misfit, type Named } from "./strategies";

/** Asks for the arguments of a strategy that the server offered, and applies it. */
export async function applyWith(session: Session, recorder: Recorder, asked: Asked): Promise<void> {
  const values = new Map<string, string>();
  for (const parameter of asked.parameters) {
    const value = await (asked.loops.length > 0 ? order(asked.loops) : argument(asked, parameter));
    if (value === undefined) return;
    values.set(parameter.name, value);
  }
  const document = vscode.Uri.parse(asked.uri);
  const strategy = filled(asked.strategy, values);
  if (!(await apply(session, { document, def: asked.def, strategy, from: asked.from }))) return;
  if (asked.from === null) recorder.offer(document, asked.def, strategy);
}

async function argument({ def }: Asked, { name, type }: Named): Promise<string | undefined> {
  const value = await vscode.window.showInputBox({
    prompt: `${def}: ${name} (${type})`,
    validateInput: (text) => misfit(type, text),
  });
  return value?.trim();
}

/** An order of loops, chosen from the outermost in. */
async function order(loops: readonly Loop[]): Promise<string | undefined> {
  const chosen: number[] = [];
  while (chosen.length < loops.length) {
    const left = loops
      .map((loop, at) => ({
        label: loop.name,
        description: `${loop.size}${loop.reduces ? ", reduction" : ""}`,
        number: at + 1,
      }))
      .filter(({ number }) => !chosen.includes(number));
    const [only, ...others] = left;
    if (only === undefined) break;
    const names = chosen.map((number) => loops[number - 1]?.name).join(", ");
    const picked =
      others.length === 0
        ? only
        : await vscode.window.showQuickPick(left, {
            title: names === "" ? "The outermost loop" : `${names}, then …`,
            placeHolder: "A loop",
          });
    if (picked === undefined) return undefined;
    chosen.push(picked.number);
  }
  return `[${chosen.join(", ")}]`;
}

/** Puts a definition for a target behind the one that it comes from. */
export async function lower(session: Session, at: Place): Promise<void> {
  const client = session.running;
  if (client === undefined) return;
  try {
    const answer = await client.sendRequest<{ edit: WorkspaceEdit | null; message: string | null }>(
      "rise/lower",
      { textDocument: { uri: at.uri }, position: at.position, target: at.target },
    );
    if (answer.edit === null) {
      await vscode.window.showErrorMessage(answer.message ?? "The definition cannot be lowered.");
      return;
    }
    await vscode.workspace.applyEdit(await client.protocol2CodeConverter.asWorkspaceEdit(answer.edit));
  } catch (error) {
    await complain(error);
  }
}

/** Shows what the latest rewrite at the cursor did, step by step. */
export class Explanations implements vscode.TextDocumentContentProvider {
  private text = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly session: Session) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(): Promise<void> {
    const at = await here(this.session);
    if (at === undefined) return;
    const position = at.client.code2ProtocolConverter.asPosition(at.editor.selection.active);
    try {
      const found = await at.client.sendRequest<Explained>("rise/explain", {
        textDocument: { uri: at.uri },
        position,
      });
      this.text = explanation(found);
      const uri = vscode.Uri.from({ scheme: EXPLAIN_SCHEME, path: "/Rewrite.md" });
      this.changed.fire(uri);
      await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
    } catch (error) {
      await complain(error);
    }
  }
}
