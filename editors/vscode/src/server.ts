// Finds the server. Knows nothing of the editor, so that it can be tested without one.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";

/** Where a server may be, and why we look there. */
export interface Candidate {
  readonly command: string;
  readonly origin: "setting" | "bundled" | "PATH" | "cargo";
}

/** A server that runs. */
export interface Server extends Candidate {
  readonly version: string;
}

export interface Surroundings {
  /** The setting `rise.server.path`; empty if it is not set. */
  readonly setting: string;
  /** The first folder of the workspace. */
  readonly workspaceFolder: string | undefined;
  /** The folder of the extension. */
  readonly extensionPath: string;
  readonly platform: NodeJS.Platform;
  /** The variables of the environment. */
  readonly env: NodeJS.ProcessEnv;
}

const fileName = (platform: NodeJS.Platform): string =>
  platform === "win32" ? "rise-ls.exe" : "rise-ls";

/** `~` and `${workspaceFolder}` in a path. */
export function expand(setting: string, workspaceFolder: string | undefined): string {
  const home = setting.replace(/^~(?=$|[\\/])/, () => homedir());
  return workspaceFolder === undefined
    ? home
    : home.replaceAll("${workspaceFolder}", () => workspaceFolder);
}

/**
 * Where to look, best first. A setting is the user's word: with one, nothing else is tried, so that
 * a typing error in it does not go unnoticed.
 */
export function candidates(around: Surroundings): readonly Candidate[] {
  const setting = around.setting.trim();
  if (setting !== "") {
    return [{ command: expand(setting, around.workspaceFolder), origin: "setting" }];
  }
  const name = fileName(around.platform);
  const bundled = path.join(around.extensionPath, "server", name);
  const all: Candidate[] = [];
  if (existsSync(bundled)) all.push({ command: bundled, origin: "bundled" });
  all.push({ command: name, origin: "PATH" });
  // Where `cargo install` puts it; windows that are not started from a shell may lack it on the PATH.
  const cargo = around.env["CARGO_HOME"] || path.join(homedir(), ".cargo");
  all.push({ command: path.join(cargo, "bin", name), origin: "cargo" });
  return all;
}

/** Returns `true` if a file stands where one of the candidates may be. Starts no program. */
export function isPresent(around: Surroundings): boolean {
  const folders = (around.env["PATH"] ?? "").split(path.delimiter);
  return candidates(around).some(({ command, origin }) =>
    origin === "PATH"
      ? folders.some((folder) => folder !== "" && existsSync(path.join(folder, command)))
      : existsSync(command),
  );
}

/** The version that a program gives itself, if it is a server of ours. */
export function version(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, ["--version"], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      const match = /^rise-ls\s+(\S+)/.exec(stdout);
      if (error !== null) {
        reject(new Error(reason(error)));
      } else if (match?.[1] === undefined) {
        reject(new Error("it is another program: it does not call itself rise-ls"));
      } else {
        resolve(match[1]);
      }
    });
  });
}

/** Why a candidate is not a server, if no file stands there. */
export const NO_PROGRAM = "there is no such program";

function reason(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.code === "ENOENT") return NO_PROGRAM;
  if (error.code === "EACCES") return "it may not be executed";
  if (error.killed === true) return "it did not answer within ten seconds";
  return `it does not run (${error.message.trim()})`;
}

/** Says what was tried. */
export class NoServer extends Error {
  constructor(readonly tried: readonly (readonly [Candidate, string])[]) {
    super(tried.map(([{ command }, why]) => `${command}: ${why}`).join("\n"));
  }

  /** Whether the setting is to blame. */
  get isSetting(): boolean {
    return this.tried.some(([{ origin }]) => origin === "setting");
  }
}

/** The first candidate that runs. */
export async function find(around: Surroundings): Promise<Server> {
  const tried: (readonly [Candidate, string])[] = [];
  for (const candidate of candidates(around)) {
    try {
      return { ...candidate, version: await version(candidate.command) };
    } catch (error) {
      tried.push([candidate, error instanceof Error ? error.message : String(error)]);
    }
  }
  throw new NoServer(tried);
}
