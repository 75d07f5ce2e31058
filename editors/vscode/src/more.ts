// Rewrites that need more than an edit: those whose arguments the user is asked for, definitions
// lowered for a target, and what a rewrite did.

import * as vscode from "vscode";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { applyStrategy, attempt, complain, here, type Recorder } from "./apply";
import { line } from "./input";
import type { Place } from "./place";
import type { Meanings } from "./explain";
import { EXPLAIN_SCHEME } from "./scheme";
import { lineOf } from "./run";
import { announcedPasses, type Session } from "./session";
import { type Asked, definedIn, type Explained, explanation, filled, type Loop, misfit, type Named, asked as prompt, usual, withoutPlace } from "./strategies";

/** Asks for the arguments of a strategy that the server offered, and applies it. */
export async function applyWith(session: Session, recorder: Recorder, asked: Asked): Promise<void> {
  const document = vscode.Uri.parse(asked.uri);
  const values = new Map<string, string>();
  let why: string | undefined;
  do {
    // What failed is asked for again, with the reason.
    const failed = new Map(values);
    for (const parameter of asked.parameters) {
      const value = await (asked.loops.length > 0
        ? order(asked.loops)
        : argument(asked, parameter, failed.get(parameter.name), why));
      if (value === undefined) return;
      values.set(parameter.name, value);
    }
    const strategy = filled(asked.strategy, values);
    why = await attempt(session, { document, def: asked.def, strategy, from: asked.from });
    if (why === undefined && asked.from === null) recorder.offer(document, asked.def, strategy);
    if (why !== undefined && asked.loops.length > 0) {
      await complain(why);
      return;
    }
  } while (why !== undefined);
}

async function argument(
  { def, strategy }: Asked,
  { name, type }: Named,
  failed: string | undefined,
  why: string | undefined,
): Promise<string | undefined> {
  const value = await line({
    title: `Rewrite ${def}: ${withoutPlace(strategy).replace(/[{}]/g, "")}, ${name}`,
    prompt: prompt(type),
    value: failed ?? usual(type),
    why: failed === undefined ? undefined : why,
    misfit: (text) => misfit(type, text),
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

/** What a definition can be lowered for. */
const TARGETS: readonly { label: string; target: string | null; detail?: string }[] = [
  { label: "C", target: "c", detail: "C99 for one thread" },
  { label: "OpenMP", target: "openmp", detail: "C99 with OpenMP" },
  { label: "OpenCL", target: "opencl", detail: "a kernel whose work-items compute an element each" },
  { label: "Strategy…", target: null, detail: "rewrite the definition by a strategy of your choice" },
];

/** Lowers a definition for a target that the user picks, or rewrites it by a strategy. */
export async function lowerFor(session: Session, recorder: Recorder, at: Place): Promise<void> {
  if (at.target !== null) return void (await lower(session, at));
  const client = await session.need();
  if (client === undefined) return;
  const others = Object.keys(announcedPasses(client)).filter((name) => TARGETS.every(({ target }) => target !== name));
  const targets = [...others.map((target) => ({ label: target, target })), ...TARGETS];
  const title = `Lower ${at.def}`;
  const picked = await vscode.window.showQuickPick(targets, { title, placeHolder: "A target" });
  if (picked === undefined) return;
  if (picked.target === null) await applyStrategy(session, recorder, at);
  else await lower(session, { ...at, target: picked.target });
}

/** Puts a definition for a target behind the one that it comes from, and returns its name. */
export async function lower(session: Session, at: Place): Promise<string | undefined> {
  const client = session.running;
  if (client === undefined) return undefined;
  try {
    const answer = await client.sendRequest<{ edit: WorkspaceEdit | null; message: string | null }>(
      "rise/lower",
      { textDocument: { uri: at.uri }, position: at.position, target: at.target },
    );
    if (answer.edit === null) {
      await complain(answer.message ?? "The definition cannot be lowered.");
      return undefined;
    }
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(answer.edit);
    if (!(await vscode.workspace.applyEdit(edit))) return undefined;
    const texts = edit.entries().flatMap(([, edits]) => edits.map(({ newText }) => newText));
    const name = definedIn(texts.join("\n"));
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() !== vscode.Uri.parse(at.uri).toString()) continue;
      const line = lineOf(editor.document, name);
      if (line === undefined) continue;
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
    return name;
  } catch (error) {
    await complain(error);
    return undefined;
  }
}

/** Shows what the latest rewrite at the cursor did, step by step. */
export class Explanations implements vscode.TextDocumentContentProvider {
  private text = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly session: Session,
    private readonly meanings: Meanings,
  ) {}

  provideTextDocumentContent(uri: vscode.Uri): string | Promise<string> {
    return uri.authority === "code" ? this.meanings.provideTextDocumentContent(uri) : this.text;
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
