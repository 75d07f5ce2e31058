// Tasks of the workspace: checking it, and running a file.

import * as vscode from "vscode";
import type { Session } from "./session";

/** The type of tasks that `package.json` defines. */
const TYPE = "rise";

/** What a task says in `tasks.json`. */
interface Definition extends vscode.TaskDefinition {
  readonly command: "check" | "run";
  /** What is checked or run; the folder of the workspace without it. */
  readonly path?: string;
}

export class Tasks implements vscode.TaskProvider {
  constructor(private readonly session: Session) {}

  async provideTasks(): Promise<vscode.Task[]> {
    const program = await this.program();
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (program === undefined) return [];
    const tasks = folders.map((folder) => task(program, { type: TYPE, command: "check" }, folder));
    const open = vscode.window.activeTextEditor?.document;
    const folder = open && vscode.workspace.getWorkspaceFolder(open.uri);
    if (open !== undefined && folder !== undefined && /\.(rise|dpia)$/.test(open.fileName)) {
      const path = vscode.workspace.asRelativePath(open.uri, false);
      tasks.push(task(program, { type: TYPE, command: "run", path }, folder));
    }
    return tasks;
  }

  async resolveTask(unresolved: vscode.Task): Promise<vscode.Task | undefined> {
    const { definition, scope } = unresolved;
    const program = await this.program();
    if (program === undefined || !isDefinition(definition)) return undefined;
    // VS Code wants the definition back as it was.
    return task(program, definition, typeof scope === "object" ? scope : vscode.TaskScope.Workspace);
  }

  private async program(): Promise<string | undefined> {
    await this.session.settled();
    return this.session.command;
  }
}

function isDefinition(value: vscode.TaskDefinition): value is Definition {
  const { command, path } = value as { command?: unknown; path?: unknown };
  return (command === "check" || command === "run") && (path === undefined || typeof path === "string");
}

function task(
  program: string,
  definition: Definition,
  scope: vscode.WorkspaceFolder | vscode.TaskScope.Workspace,
): vscode.Task {
  const { command, path } = definition;
  const words = command === "check" ? ["--check", path ?? "."] : ["run", path ?? "."];
  const name = path === undefined ? command : `${command} ${path}`;
  // What is wrong is in the problems already: the server reports all files of the workspace.
  const made = new vscode.Task(definition, scope, name, TYPE, new vscode.ProcessExecution(program, words), []);
  if (command === "check") made.group = vscode.TaskGroup.Build;
  return made;
}
