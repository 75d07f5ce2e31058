// One server at a time: start it, stop it, say what is wrong with it.

import * as vscode from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
  type CloseHandlerResult,
  DidOpenTextDocumentNotification,
  ErrorAction,
  type ErrorHandler,
  type FeatureState,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type ServerOptions,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";
import { configure } from "./configure";
import { Indicator } from "./indicator";
import { LANGUAGES } from "./languages";
import { LIBRARY_SCHEME } from "./library";
import type { PreviewChanged } from "./preview";
import { STEP_SCHEME } from "./scheme";
import { find, isPresent, NO_PROGRAM, NoServer, type Server, type Surroundings } from "./server";

const README = "https://github.com/rise-lang/rise-ls#readme";
const CRASHES = 5;
const WITHIN_MS = 3 * 60_000;
/** How often to look for a server while there is none. */
const LOOK_MS = 3_000;

/** What can be done when no server is found. */
const WAYS = ["Open Settings", "Choose File…", "How to Install"] as const;

/** The names of the passes of each target, in order, as the server announces them. */
export type Passes = Record<string, readonly string[]>;

export function announcedPasses(client: LanguageClient): Passes {
  const announced = client.initializeResult?.capabilities.experimental as { risePasses?: Passes } | undefined;
  return announced?.risePasses ?? {};
}

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** The program that runs as the server. */
  private program: string | undefined;
  /** What to do when an edit has changed a preview. */
  onPreviewChanged: (params: PreviewChanged) => void = () => {};
  /** What to do when the server was told of a document, by its URI. */
  onOpened: (uri: string) => void = () => {};
  /** What to do when a server has started, be it after a crash: it knows nothing of the one before. */
  onStarted: () => void = () => {};
  /** Starts and stops wait for each other. */
  private turn: Promise<void> = Promise.resolve();
  private readonly indicator = new Indicator();
  /** Looks for a server while there is none. */
  private search: NodeJS.Timeout | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly output: vscode.OutputChannel,
    private readonly trace: vscode.OutputChannel,
  ) {}

  /** The client, while the server runs. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** The program rise-ls, while the server runs. */
  get command(): string | undefined {
    return this.running === undefined ? undefined : this.program;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    clearInterval(this.search);
    this.indicator.dispose();
    void this.stop();
  }

  /** Waits until a server that is being started runs, or does not. */
  settled(): Promise<void> {
    return this.turn;
  }

  /** The running client; without one, a message says why there is none, and what can be done. */
  async need(): Promise<LanguageClient | undefined> {
    await this.settled();
    const client = this.running;
    if (client === undefined) void this.explainAbsence();
    return client;
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step, step);
    return this.turn;
  }

  private async startNow(): Promise<void> {
    clearInterval(this.search);
    this.indicator.show({ kind: "starting" });
    const server = await this.locate();
    if (server === undefined) return;
    this.output.appendLine(`Starting ${server.command} ${server.version} (${server.origin})`);
    const client = new LanguageClient("rise", "RISE", command(server), this.options());
    this.client = client;
    this.program = server.command;
    client.registerFeature(new Commands());
    const opening = client.getFeature(DidOpenTextDocumentNotification.method);
    opening.onNotificationSent(({ params }) => this.onOpened(params.textDocument.uri));
    client.onDidChangeState(({ newState }) => {
      // It runs before it knows the open documents, and has started when it does.
      if (newState === State.Running) client.start().then(() => this.onStarted(), () => undefined);
      if (client !== this.client) return;
      const { command, version } = server;
      this.indicator.show(
        newState === State.Running
          ? { kind: "running", command, version }
          : newState === State.Starting
            ? { kind: "starting" }
            : { kind: "stopped", why: "it has stopped" },
      );
    });
    try {
      client.onNotification("rise/previewChanged", (params: PreviewChanged) =>
        this.onPreviewChanged(params),
      );
      await client.start();
    } catch (error) {
      this.output.appendLine(`The server did not start: ${String(error)}`);
      this.indicator.show({ kind: "stopped", why: "it did not start" });
      void this.offer("The RISE server did not start.");
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.output.appendLine(`The server did not stop in order: ${String(error)}`);
    }
  }

  private async locate(): Promise<Server | undefined> {
    try {
      return await find(this.surroundings());
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
      this.output.appendLine(`No server:\n${error.message}`);
      const why = error.isSetting ? "the setting rise.server.path names none" : "it was not found";
      this.indicator.show({ kind: "stopped", why });
      this.lookFor(error);
      void this.explain(error);
      return undefined;
    }
  }

  private surroundings(): Surroundings {
    return {
      setting: vscode.workspace.getConfiguration("rise").get<string>("server.path", ""),
      workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      extensionPath: this.context.extensionPath,
      platform: process.platform,
      env: process.env,
    };
  }

  /** Starts the server when its program appears. A program that was there and is not a server is left alone. */
  private lookFor(absent: NoServer): void {
    if (absent.tried.some(([, why]) => why !== NO_PROGRAM)) return;
    this.search = setInterval(() => {
      if (isPresent(this.surroundings())) void this.restart();
    }, LOOK_MS);
  }

  /** Says why no server runs. */
  private async explainAbsence(): Promise<void> {
    try {
      await find(this.surroundings());
      await this.offer("The RISE server does not run.");
    } catch (error) {
      if (error instanceof NoServer) await this.explain(error);
    }
  }

  private async explain(error: NoServer): Promise<void> {
    const message = error.isSetting
      ? `The setting rise.server.path names no RISE server. ${error.message}`
      : "The RISE server rise-ls was not found. Install it, or say where it is in the settings.";
    const choice = await vscode.window.showErrorMessage(message, ...WAYS);
    if (choice !== undefined) await this.take(choice);
  }

  /** Does what the user chose to get a server. */
  private async take(way: (typeof WAYS)[number]): Promise<void> {
    switch (way) {
      case "Open Settings": {
        // The setting belongs to the machine that the server runs on.
        const remote = vscode.env.remoteName !== undefined;
        const command = `workbench.action.open${remote ? "Remote" : ""}Settings`;
        await vscode.commands.executeCommand(command, { query: "rise.server.path" });
        break;
      }
      case "Choose File…": {
        const chosen = await vscode.window.showOpenDialog({ title: "The program rise-ls", openLabel: "Use as Server" });
        const file = chosen?.[0];
        if (file === undefined) return;
        await configure("server.path", file.fsPath);
        break;
      }
      case "How to Install":
        await vscode.env.openExternal(vscode.Uri.parse(README));
    }
  }

  /** Shows what can be done with the server. */
  async menu(): Promise<void> {
    type Entry = vscode.QuickPickItem & { readonly run: () => unknown };
    const command = (label: string, name: string): Entry => ({
      label,
      run: () => vscode.commands.executeCommand(name),
    });
    const entries: Entry[] =
      this.running === undefined
        ? WAYS.map((label): Entry => ({ label, run: () => this.take(label) }))
        : [
            command("Show Server Status", "rise.showStatus"),
            command("Choose Device…", "rise.chooseDevice"),
          ];
    entries.push(command("Restart Server", "rise.restartServer"), command("Show Output", "rise.showOutput"));
    const picked = await vscode.window.showQuickPick(entries, { title: "RISE Server" });
    await picked?.run();
  }

  /** An error with what can be done about it. */
  private async offer(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(message, "Restart", "Show Output");
    if (choice === "Restart") {
      await this.restart();
    } else if (choice === "Show Output") {
      this.output.show();
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: ["file", "untitled", LIBRARY_SCHEME, STEP_SCHEME].flatMap((scheme) =>
        LANGUAGES.map((language) => ({ scheme, language })),
      ),
      // Settings of a folder that is not trusted cannot turn runs on again.
      initializationOptions: { run: { enabled: vscode.workspace.isTrusted } },
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      diagnosticCollectionName: "rise",
      errorHandler: this.errorHandler(),
      // A request that fails is in the output; nobody is told of hints that failed while a server stopped.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
    };
  }

  /** Starts a crashed server again, but not for ever. */
  private errorHandler(): ErrorHandler {
    const crashes: number[] = [];
    return {
      error: (error, _message, count) => {
        this.output.appendLine(`The connection has an error (${count ?? 1}): ${error.message}`);
        return { action: ErrorAction.Continue };
      },
      closed: (): CloseHandlerResult => {
        const now = Date.now();
        crashes.push(now);
        const recent = crashes.filter((time) => now - time < WITHIN_MS);
        if (recent.length < CRASHES) {
          return { action: CloseAction.Restart, handled: true };
        }
        this.indicator.show({ kind: "stopped", why: "it stopped too often" });
        void this.offer(`The RISE server stopped ${CRASHES} times within three minutes.`);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }
}

/** Commands for rewrites that the server may name. */
const STRATEGIES = ["rise.record", "rise.applyWith", "rise.applyStrategy", "rise.lower"];

/** Tells the server which of its offers this editor can carry out. */
class Commands implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const commands = ["rise.preview", ...STRATEGIES, ...(vscode.workspace.isTrusted ? ["rise.run"] : [])];
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      rise: { commands },
    };
  }
  initialize(): void {}
  getState(): FeatureState {
    return { kind: "static" };
  }
  clear(): void {}
}

const command = (server: Server): ServerOptions => ({
  command: server.command,
  args: ["--stdio"],
  options: { env: { ...process.env, RUST_BACKTRACE: process.env["RUST_BACKTRACE"] ?? "short" } },
});
