// Strategies applied to the definition at the cursor: picked from what the server lists, or written.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import type { Session } from "./session";
import { line } from "./input";
import type { Range } from "./parts";
import type { Place } from "./place";
import {
  asked,
  call,
  firstSentence,
  misfit,
  type Parameter,
  sentence,
  signature,
  type Steps,
  type Strategy,
  title,
  TRAVERSALS,
  usual,
  type Why,
  withoutPlace,
} from "./strategies";

/** How long the status bar says what a rewrite assumes. */
const NOTE_MS = 15_000;

/** A definition, and what is to be done to it. */
export interface Aim {
  readonly document: vscode.Uri;
  readonly def: string;
  /** The strategy, as it is written. */
  readonly strategy: string;
  /** The file in whose words it is written; without one, those of the library and of the program's own file. */
  readonly from: string | null;
  /** Whether the user wrote it, and may mend it. */
  readonly written?: boolean;
}

/** The place at the cursor of a program, with the server that knows it. */
interface Here {
  readonly client: LanguageClient;
  readonly editor: vscode.TextEditor;
  readonly uri: string;
}

type Picked = vscode.QuickPickItem & { readonly strategy?: Strategy; readonly write?: boolean };

/** The place at the cursor, or a message that says why there is none. */
export async function here(session: Session): Promise<Here | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.languageId !== "rise") {
    await vscode.window.showInformationMessage("There is no open file of RISE.");
    return undefined;
  }
  const client = await session.need();
  return client && { client, editor, uri: client.code2ProtocolConverter.asUri(editor.document.uri) };
}

/** Says what went wrong with a request. */
export async function complain(error: unknown): Promise<void> {
  await vscode.window.showErrorMessage(sentence(error instanceof Error ? error.message : String(error)));
}

/** Says in the status bar what a rewrite assumes, until its document is another one. */
function note(document: vscode.Uri, text: string): void {
  const shown = vscode.window.setStatusBarMessage(`$(info) ${text}`, NOTE_MS);
  const changes = vscode.workspace.onDidChangeTextDocument((change) => {
    if (change.contentChanges.length === 0 || change.document.uri.toString() !== document.toString()) return;
    shown.dispose();
    changes.dispose();
  });
}

/** Asks for a strategy for the definition at the cursor. */
export async function choose(at: Here, purpose: string): Promise<Aim | undefined> {
  const { client, editor, uri } = at;
  const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
  const textDocument = { uri };
  const { def, strategies } = await client.sendRequest<{ def: string; strategies: Strategy[] }>(
    "rise/strategies",
    { textDocument, position },
  );
  const picked = await vscode.window.showQuickPick(entries(strategies), {
    title: `${purpose} ${def}`,
    placeHolder: "A strategy or a rule",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked === undefined) return undefined;
  const document = editor.document.uri;
  if (picked.strategy === undefined) {
    const strategy = await write(def);
    return strategy === undefined ? undefined : { document, def, strategy, from: null, written: true };
  }
  const whole = await withArguments(picked.strategy);
  if (whole === undefined) return undefined;
  const strategy = picked.strategy.rule ? await somewhere(whole) : whole;
  const from = picked.strategy.library ? null : picked.strategy.uri;
  return strategy === undefined ? undefined : { document, def, strategy, from };
}

/** Strategies of the workspace first, then those of the library, rules last. */
function entries(strategies: readonly Strategy[]): Picked[] {
  const group = (label: string, of: readonly Strategy[]): Picked[] => {
    const line = { label, kind: vscode.QuickPickItemKind.Separator };
    return of.length === 0 ? [] : [line, ...of.map(entry)];
  };
  const own = strategies.filter(({ library }) => !library);
  const shipped = strategies.filter(({ library }) => library);
  return [
    { label: "$(edit) Write a Strategy…", alwaysShow: true, write: true },
    ...group("workspace", own),
    ...group("library: strategies", shipped.filter(({ rule }) => !rule)),
    ...group("library: rules", shipped.filter(({ rule }) => rule)),
  ];
}

function entry(strategy: Strategy): Picked {
  const file = strategy.uri?.split("/").at(-1);
  const detail = [title(strategy), firstSentence(strategy.docs)].filter((text) => text !== "");
  return {
    label: `${strategy.name}${signature(strategy)}`,
    ...(file === undefined ? {} : { description: decodeURIComponent(file) }),
    ...(detail.length === 0 ? {} : { detail: detail.join(" — ") }),
    strategy,
  };
}

/** Asks for a strategy; one that failed is shown again with the reason. */
function write(def: string, failed?: { readonly strategy: string; readonly why: string }): Promise<string | undefined> {
  return line({
    title: `Rewrite ${def}`,
    prompt: "A strategy, as in a file of ELEVATE",
    placeholder: "topDown(mapFusion) ; normalize(toMapSeq)",
    ...(failed === undefined ? {} : { value: failed.strategy, why: failed.why }),
    misfit: (text) => (text.trim() === "" ? "There is nothing here" : undefined),
  });
}

/** Asks again for a strategy that the user wrote and that failed; of others only the reason is shown. */
export async function mended(aim: Aim, why: string): Promise<Aim | undefined> {
  if (!aim.written) {
    await complain(why);
    return undefined;
  }
  const strategy = await write(aim.def, { strategy: aim.strategy, why });
  return strategy === undefined ? undefined : { ...aim, strategy };
}

/** The strategy with what it takes. */
async function withArguments(strategy: Strategy): Promise<string | undefined> {
  const values: (string | undefined)[][] = [];
  for (const list of strategy.parameters) {
    const given: (string | undefined)[] = [];
    for (const parameter of list) {
      // What may be left out is given by those who write the strategy.
      if (parameter.optional) continue;
      const value = await argument(strategy, parameter);
      if (value === undefined) return undefined;
      given.push(value);
    }
    values.push(given);
  }
  return call(strategy.name, values);
}

async function argument(strategy: Strategy, { name, type }: Parameter): Promise<string | undefined> {
  const title = `${strategy.name}: ${name}`;
  const known = { Addr: ["Global", "Local", "Private"], Bool: ["true", "false"] }[type];
  if (known !== undefined) return vscode.window.showQuickPick(known, { title });
  const value = await line({
    title,
    prompt: asked(type),
    value: usual(type),
    misfit: (text) => misfit(type, text),
  });
  return value?.trim();
}

/** Where a rule is applied. */
async function somewhere(rule: string): Promise<string | undefined> {
  const way = await vscode.window.showQuickPick(TRAVERSALS, { title: `Where to apply ${rule}` });
  return way?.wrap(rule);
}

/** Parameters of requests about a strategy on a definition. */
export function about(client: LanguageClient, aim: Aim): object {
  const uri = client.code2ProtocolConverter.asUri(aim.document);
  return {
    textDocument: { uri },
    def: aim.def,
    strategy: aim.strategy,
    ...(aim.from === null ? {} : { from: aim.from }),
  };
}

/** Applies a strategy, or its first steps, as one edit, and shows why that fails. */
export async function apply(session: Session, aim: Aim, step?: number): Promise<boolean> {
  const why = await attempt(session, aim, step);
  if (why !== undefined) await complain(why);
  return why === undefined;
}

/** Applies a strategy, or its first steps, as one edit. Returns why that failed. */
export async function attempt(session: Session, aim: Aim, step?: number): Promise<string | undefined> {
  const client = await session.need();
  if (client === undefined) return "The RISE server does not run.";
  try {
    const params = { ...about(client, aim), ...(step === undefined ? {} : { step }) };
    const answer = await working(`Rewriting ${aim.def}`, (token) =>
      client.sendRequest<{ edit: WorkspaceEdit | null; message: string | null }>(
        "rise/strategyApply",
        params,
        token,
      ),
    );
    if (answer.edit === null) return answer.message ?? "The strategy changes nothing.";
    const done = await vscode.workspace.applyEdit(
      await client.protocol2CodeConverter.asWorkspaceEdit(answer.edit),
    );
    if (!done) return "The text has changed meanwhile.";
    if (answer.message !== null) {
      note(aim.document, sentence(answer.message));
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Shows that something is done, with a way to stop it. */
export function working<T>(
  title: string,
  task: (token: vscode.CancellationToken) => Promise<T>,
): Thenable<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (_progress, token) => task(token),
  );
}

/** The command "Apply Strategy…". */
export async function applyStrategy(session: Session, record: Recorder, place?: Place): Promise<void> {
  if (place !== undefined) {
    const { line, character } = place.position;
    const selection = new vscode.Range(line, character, line, character);
    await vscode.window.showTextDocument(vscode.Uri.parse(place.uri), { selection });
  }
  const at = await here(session);
  if (at === undefined) return;
  try {
    let aim = await choose(at, "Rewrite");
    while (aim !== undefined) {
      const why = await attempt(session, aim);
      if (why === undefined) {
        record.offer(aim.document, aim.def, aim.strategy);
        return;
      }
      aim = await mended(aim, why);
    }
  } catch (error) {
    await complain(error);
  }
}

/** The command "Why Does This Rule Not Apply Here?". */
export async function whyNot(session: Session): Promise<void> {
  const at = await here(session);
  if (at === undefined) return;
  const { client, editor, uri } = at;
  const textDocument = { uri };
  const range = client.code2ProtocolConverter.asRange(editor.selection);
  try {
    const { strategies } = await client.sendRequest<{ strategies: Strategy[] }>("rise/strategies", {
      textDocument,
      position: range.start,
    });
    const rules = strategies.filter(({ rule }) => rule);
    const picked = await vscode.window.showQuickPick(rules.map(entry), {
      title: "Why does this rule not apply here?",
      placeHolder: "A rule",
      matchOnDetail: true,
    });
    const rule = picked?.strategy && (await withArguments(picked.strategy));
    if (rule === undefined) return;
    const why = await working(`Trying ${rule}`, (token) =>
      client.sendRequest<Why>("rise/why", { textDocument, range, rule }, token),
    );
    await explain(at, rule, why);
  } catch (error) {
    await complain(error);
  }
}

/** Shows why a rule does not apply, with what would make it apply. */
async function explain(at: Here, rule: string, why: Why): Promise<void> {
  if (why.applies) {
    await vscode.window.showInformationMessage(`${rule}: ${why.message}`);
    return;
  }
  type Line = vscode.QuickPickItem & { readonly strategy?: string };
  const reasons: Line[] = why.message.split("\n").map((label) => ({ label }));
  const ways: Line[] = why.enabledBy.map(({ title, strategy }) => ({
    label: `$(lightbulb) ${title}`,
    description: strategy,
    strategy,
  }));
  const line = (label: string): Line => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const picked = await vscode.window.showQuickPick(
    [
      ...reasons,
      ...(ways.length === 0 ? [] : [line("it applies after"), ...ways]),
    ],
    { title: `${rule} does not apply here`, placeHolder: "Choose a rewrite to see what is offered here" },
  );
  if (picked?.strategy === undefined) return;
  // What is offered at this place, as a menu.
  await vscode.window.showTextDocument(at.editor.document, { selection: at.editor.selection });
  await vscode.commands.executeCommand("editor.action.codeAction", {
    kind: "refactor",
    apply: "never",
  });
}

/** Writes down what was done by hand as strategies, in a file beside the program. */
export class Recorder implements vscode.Disposable {
  /** The last rewrite, as long as its document stays as it left it. */
  private readonly item = vscode.window.createStatusBarItem("rise.rewrite", vscode.StatusBarAlignment.Left);
  private last: { readonly document: vscode.Uri; readonly def: string; readonly step: string } | undefined;
  private readonly changes = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (contentChanges.length > 0 && document.uri.toString() === this.last?.document.toString()) this.item.hide();
  });

  constructor(private readonly session: Session) {
    this.item.name = "RISE: Last Rewrite";
    this.item.command = "rise.lastRewrite";
  }

  dispose(): void {
    this.item.dispose();
    this.changes.dispose();
  }

  /** Shows a step that was just taken, which can be written down. */
  offer(document: vscode.Uri, def: string, step: string): void {
    this.last = { document, def, step };
    this.item.text = `$(wand) Rewrote ${def}: ${withoutPlace(step)}`;
    this.item.tooltip = `${step}\n\nRecord it in strategy.elevate, or explain it`;
    this.item.show();
  }

  /** Asks what to do with the last rewrite. */
  async ask(): Promise<void> {
    const last = this.last;
    if (last === undefined) {
      await vscode.window.showInformationMessage("Nothing was rewritten yet.");
      return;
    }
    const [record, explain] = ["Record in strategy.elevate", "Explain"];
    const title = `${last.def}: ${withoutPlace(last.step)}`;
    const choice = await vscode.window.showQuickPick([record, explain], { title });
    if (choice === record) await this.record(last.document, last.def, last.step);
    if (choice === explain) await vscode.commands.executeCommand("rise.explain");
  }

  /** Writes down a step. */
  async record(document: vscode.Uri, def: string, step: string): Promise<void> {
    const client = this.session.running;
    if (client === undefined) return;
    const textDocument = { uri: client.code2ProtocolConverter.asUri(document) };
    try {
      const { edit, uri, range } = await client.sendRequest<{
        edit: WorkspaceEdit;
        uri: string;
        range: Range;
      }>("rise/record", { textDocument, def, step });
      if (!(await vscode.workspace.applyEdit(await client.protocol2CodeConverter.asWorkspaceEdit(edit)))) {
        return;
      }
      const { start } = range;
      const at = new vscode.Position(start.line, start.character);
      await vscode.window.showTextDocument(client.protocol2CodeConverter.asUri(uri), {
        viewColumn: vscode.ViewColumn.Beside,
        preserveFocus: true,
        selection: new vscode.Range(at, at),
      });
    } catch (error) {
      await complain(error);
    }
  }
}

/** Where a step is recorded, as the server says it in a code action. */
export interface Recorded {
  readonly uri: string;
  readonly def: string;
  readonly step: string;
}

export function isRecorded(value: unknown): value is Recorded {
  return (
    typeof value === "object" &&
    value !== null &&
    "uri" in value &&
    typeof value.uri === "string" &&
    "def" in value &&
    typeof value.def === "string" &&
    "step" in value &&
    typeof value.step === "string"
  );
}

/** The steps of a strategy, and the program after the first ones. */
export function ask(
  client: LanguageClient,
  aim: Aim,
  done: number | undefined,
  since: number | undefined,
  token?: vscode.CancellationToken,
): Promise<Steps> {
  const params = {
    ...about(client, aim),
    ...(done === undefined ? {} : { step: done }),
    ...(since === undefined ? {} : { since }),
  };
  return client.sendRequest<Steps>("rise/strategySteps", params, token);
}
