// One server at a time: start it, stop it, say what is wrong with it.

import * as vscode from "vscode";
import {
  type ClientCapabilities,
  CloseAction,
  type CloseHandlerResult,
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
import { LANGUAGES } from "./languages";
import { LIBRARY_SCHEME } from "./library";
import type { PreviewChanged } from "./preview";
import { STEP_SCHEME } from "./scheme";
import { find, NoServer, type Server } from "./server";

const README = "https://github.com/rise-lang/rise-ls#readme";
const CRASHES = 5;
const WITHIN_MS = 3 * 60_000;

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** The program that runs as the server. */
  private program: string | undefined;
  /** What to do when an edit has changed a preview. */
  onPreviewChanged: (params: PreviewChanged) => void = () => {};
  /** What to do when a server has started, be it after a crash: it knows nothing of the one before. */
  onStarted: () => void = () => {};
  /** Starts and stops wait for each other. */
  private turn: Promise<void> = Promise.resolve();

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
    void this.stop();
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(step, step);
    return this.turn;
  }

  private async startNow(): Promise<void> {
    const server = await this.locate();
    if (server === undefined) return;
    this.output.appendLine(`Starting ${server.command} ${server.version} (${server.origin})`);
    const client = new LanguageClient("rise", "RISE", command(server), this.options());
    this.client = client;
    this.program = server.command;
    client.registerFeature(new Commands());
    client.onDidChangeState(({ newState }) => {
      // It runs before it knows the open documents, and has started when it does.
      if (newState === State.Running) client.start().then(() => this.onStarted(), () => undefined);
    });
    try {
      client.onNotification("rise/previewChanged", (params: PreviewChanged) =>
        this.onPreviewChanged(params),
      );
      await client.start();
    } catch (error) {
      this.output.appendLine(`The server did not start: ${String(error)}`);
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
      return await find({
        setting: vscode.workspace.getConfiguration("rise").get<string>("server.path", ""),
        workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
        extensionPath: this.context.extensionPath,
        platform: process.platform,
      });
    } catch (error) {
      if (!(error instanceof NoServer)) throw error;
      this.output.appendLine(`No server:\n${error.message}`);
      void this.explain(error);
      return undefined;
    }
  }

  private async explain(error: NoServer): Promise<void> {
    const message = error.isSetting
      ? `The setting rise.server.path names no RISE server. ${error.message}`
      : "The RISE server rise-ls was not found. Install it, or say where it is in the settings.";
    const choice = await vscode.window.showErrorMessage(message, "Open Settings", "How to Install");
    if (choice === "Open Settings") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "rise.server.path");
    } else if (choice === "How to Install") {
      await vscode.env.openExternal(vscode.Uri.parse(README));
    }
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
