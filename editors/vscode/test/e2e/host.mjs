// Starts VS Code as a web server (code-server) with the extension in it, and a browser that shows it.
// Everything it writes is in one temporary folder, which it removes.

import { execFileSync, spawn } from "node:child_process";
import { accessSync, chmodSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const WAIT_MS = 90_000;

/** A program, by its path or by its name on the PATH. */
function program(variable, ...names) {
  const wanted = process.env[variable] ? [process.env[variable]] : names;
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  for (const name of wanted) {
    for (const file of name.includes("/") ? [path.resolve(name)] : folders.map((at) => path.join(at, name))) {
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // The next place.
      }
    }
  }
  throw new Error(`There is no ${wanted.join(" and no ")}: say with ${variable} where it is.`);
}

async function browserType() {
  try {
    return (await import("playwright-core")).chromium;
  } catch {
    throw new Error("playwright-core is not installed; test/e2e/README.md says how.");
  }
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

async function answers(url) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    if ((await fetch(`${url}/healthz`).catch(() => undefined))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("code-server does not answer.");
}

/** What makes pictures and runs alike: no welcome, no side bars, no random tips. */
const QUIET = {
  "chat.commandCenter.enabled": false,
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.startupPrompt": "always",
  "telemetry.telemetryLevel": "off",
  // Terminals write elements, whose texts can be read.
  "terminal.integrated.gpuAcceleration": "off",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** The extension as users get it; packed once. */
function packed() {
  if (packed.file === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), "rise-vscode-vsix-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, "rise.vsix");
    execFileSync("npm", ["run", "package", "--", "-o", file], { stdio: "pipe" });
    packed.file = file;
  }
  return packed.file;
}

/** Variables whose values are folders below `root`. */
const inside = (root, variables) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, path.join(root, value)]));

/** Writes `files` (path -> text) below `folder`. */
function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/**
 * A window on a workspace with `files`.
 *
 * `folders` are copied into it. `executable` names files that are programs; `settings` are the user's, and `machine` those of the
 * machine, which name the server if nothing else is said; `environment` has variables that name
 * folders beside the workspace; `trusted: false` asks the user, as VS Code does out of the box.
 */
export async function open(wishes) {
  const { files, executable = [], settings = {}, trusted = true, size = [1280, 800], scale = 1 } = wishes;
  const { machine, environment = {}, folders = {} } = wishes;
  const chromium = await browserType();
  const codeServer = program("CODE_SERVER", "code-server");
  const browser = program("CHROMIUM", "chromium", "chromium-browser", "google-chrome");
  const server = program("RISE_LS", "rise-ls");

  const root = mkdtempSync(path.join(tmpdir(), "rise-vscode-e2e-"));
  const workspace = path.join(root, "workspace");
  write(workspace, files);
  for (const [name, from] of Object.entries(folders)) cpSync(from, path.join(workspace, name), { recursive: true });
  for (const name of executable) chmodSync(path.join(workspace, name), 0o755);
  write(path.join(root, "data"), {
    "User/settings.json": JSON.stringify({ ...QUIET, ...settings }),
    "Machine/settings.json": JSON.stringify(machine ?? { "rise.server.path": server }),
  });

  const vsix = packed();
  const common = [
    ...["--config", path.join(root, "config.yaml")],
    ...["--user-data-dir", path.join(root, "data")],
    ...["--extensions-dir", path.join(root, "extensions")],
  ];
  execFileSync(codeServer, [...common, "--install-extension", vsix], { stdio: "pipe" });

  const port = await freePort();
  // code-server takes a PORT of the environment for its own.
  const { PORT: _, ...surroundings } = process.env;
  const url = `http://127.0.0.1:${port}`;
  const host = spawn(
    codeServer,
    [
      ...common,
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`],
      ...["--disable-telemetry", "--disable-update-check"],
      ...(trusted ? ["--disable-workspace-trust"] : []),
    ],
    { stdio: "ignore", detached: true, env: { ...surroundings, ...inside(root, environment) } },
  );

  let context;
  const close = async () => {
    await context?.close();
    try {
      process.kill(-host.pid, "SIGTERM");
    } catch {
      // It is gone already.
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };

  try {
    await answers(url);
    context = await chromium.launchPersistentContext(path.join(root, "browser"), {
      executablePath: browser,
      headless: true,
      viewport: { width: size[0], height: size[1] },
      deviceScaleFactor: scale,
      args: [
        ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ],
    });
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(30_000);
    await page.goto(`${url}/?folder=${encodeURIComponent(workspace)}`, { waitUntil: "domcontentloaded" });
    await page.waitForSelector(".monaco-workbench", { timeout: WAIT_MS });
    return { page, workspace, close };
  } catch (error) {
    await close();
    throw error;
  }
}
