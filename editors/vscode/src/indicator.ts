// What the status bar says of the server: which one runs, or why none does.

import * as vscode from "vscode";
import { LANGUAGES } from "./languages";

/** What is known of the server. */
export type Health =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string; readonly command: string }
  | { readonly kind: "stopped"; readonly why: string };

export class Indicator implements vscode.Disposable {
  /** The entry behind the name of the language. */
  private readonly language = vscode.languages.createLanguageStatusItem(
    "rise.server",
    LANGUAGES.map((language) => ({ language })),
  );
  /** An entry of its own, which stands there as long as no server runs. */
  private readonly absent = vscode.window.createStatusBarItem(
    "rise.server",
    vscode.StatusBarAlignment.Right,
    100,
  );
  private readonly shows = vscode.window.onDidChangeActiveTextEditor(() => this.draw());
  private health: Health = { kind: "starting" };

  constructor() {
    this.language.name = "RISE";
    this.language.command = { command: "rise.serverMenu", title: "Server…" };
    this.absent.name = "RISE: Server";
    this.absent.command = "rise.serverMenu";
    this.absent.text = "$(error) RISE: no server";
    this.absent.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
    this.draw();
  }

  dispose(): void {
    for (const part of [this.language, this.absent, this.shows]) part.dispose();
  }

  show(health: Health): void {
    this.health = health;
    this.draw();
  }

  private draw(): void {
    const { health, language } = this;
    language.busy = health.kind === "starting";
    language.severity =
      health.kind === "stopped"
        ? vscode.LanguageStatusSeverity.Error
        : vscode.LanguageStatusSeverity.Information;
    switch (health.kind) {
      case "starting":
        language.text = "rise-ls starts";
        language.detail = "";
        break;
      case "running":
        language.text = `rise-ls ${health.version}`;
        language.detail = health.command;
        break;
      case "stopped":
        language.text = "rise-ls does not run";
        language.detail = health.why;
        this.absent.tooltip = `The RISE server does not run: ${health.why}`;
    }
    const open = vscode.window.visibleTextEditors.some(({ document }) => LANGUAGES.includes(document.languageId));
    if (health.kind === "stopped" && open) this.absent.show();
    else this.absent.hide();
  }
}
