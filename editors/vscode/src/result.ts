// What a run says, in words. Knows nothing of the editor, so that it can be tested without one.

import { fileURLToPath } from "node:url";

/** The answer to `rise/run`: a result, or why there is none. */
export interface RunResult {
  readonly def?: string;
  readonly backend?: string;
  /** Why it was interpreted and not compiled, where nobody named the interpreter. */
  readonly fallback?: string | null;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly text?: string;
  readonly printed?: string;
  readonly warnings?: readonly string[];
  readonly elapsed?: number;
  /** What an OpenCL program ran on. */
  readonly device?: { readonly name: string; readonly platform?: string } | null;
  readonly kernels?: readonly Kernel[] | null;
  /** Seconds between the host's memory and the device's, which `times` do not count. */
  readonly transfers?: { readonly up: number; readonly down: number } | null;
  /** What copying reaches on the device, and which share of it the program does. */
  readonly bandwidth?: { readonly copy: number; readonly share: number } | null;
  readonly times?: Times | null;
  readonly verify?: Verify | null;
  readonly error?: string;
  readonly kind?: string;
  readonly missingSizes?: readonly string[];
  readonly errors?: readonly Mistake[];
}

export interface Times {
  readonly runs: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
  readonly gflops: number | null;
  readonly gigabytes: number;
}

/** A kernel as it was launched, and how long it took in the median. */
export interface Kernel {
  readonly name: string;
  readonly local: readonly number[] | null;
  readonly global: readonly number[];
  readonly time: number;
}

export interface Verify {
  readonly ok: boolean;
  readonly compared: number;
  readonly wrong: number;
  /** Elements of the interpreter's result that are no numbers. */
  readonly nan?: number;
  readonly infinite?: number;
  readonly first: { path: string; actual: unknown; expected: unknown } | null;
  /** Where it differs most, be it within the tolerance. */
  readonly worst?: { readonly error: number | null } | null;
}

export interface Mistake {
  readonly uri: string;
  readonly message: string;
  readonly range: { start: { line: number; character: number } };
}

const BACKENDS: Readonly<Record<string, string>> = {
  interp: "interpreter",
  c: "C",
  openmp: "OpenMP",
  opencl: "OpenCL",
};

/** Three digits and a unit. */
export function seconds(time: number): string {
  const units: [number, string][] = [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "µs"],
    [1e-9, "ns"],
  ];
  const [size, unit] = units.find(([size]) => time >= size) ?? [1e-9, "ns"];
  return `${digits(time / size)} ${unit}`;
}

/** Three digits. */
const digits = (value: number): string => `${Number(value.toPrecision(3))}`;

/** Whether it is as the interpreter says, if that was asked. */
export function verdict(verify: Verify): string {
  const worst = verify.worst?.error ?? 0;
  const odd = [
    [verify.nan ?? 0, "NaN"],
    [verify.infinite ?? 0, "infinite"],
  ] as const;
  const counted = odd.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`).join("");
  if (verify.ok) {
    const within = worst > 0 ? `, within ${Number(worst.toPrecision(2))}` : "";
    return `as in the interpreter${within}${counted}`;
  }
  const first = verify.first;
  const where = first === null ? "" : `; ${first.path || "the result"} is ${first.actual}, not ${first.expected}`;
  return `WRONG in ${verify.wrong} of ${verify.compared} places${counted}${where}`;
}

/** A line about a result where there is little room: the value, how long it took, whether it is right. */
export function short(result: RunResult, length: number): string {
  if (result.error !== undefined) return inline(result, length);
  const facts = [seconds(result.times?.median ?? result.elapsed ?? 0)];
  if (result.device && result.times) facts.push(`${digits(result.times.gigabytes)} GB/s`);
  if (result.verify) facts.push(verdict(result.verify));
  if (result.fallback) facts.push("interpreted");
  return `= ${shortened(oneLine(result), length)}  (${facts.join(", ")})`;
}

/** The value in a line. */
const oneLine = ({ text }: RunResult): string => (text ?? "").replace(/\s+/g, " ").trim();

/** A line about a result: the value, how long it took, whether it is right, and what ran. */
export function inline(result: RunResult, length: number): string {
  if (result.error !== undefined) return shortened(`✗ ${result.error.split("\n")[0]}`, length);
  const facts: string[] = [];
  const times = result.times ?? undefined;
  if (times !== undefined) {
    facts.push(seconds(times.median));
    if (times.gflops !== null) facts.push(`${digits(times.gflops)} GFLOP/s`);
    if (result.device) facts.push(bandwidth(result, times));
  } else if (result.elapsed !== undefined) {
    facts.push(seconds(result.elapsed));
  }
  if (result.verify) facts.push(verdict(result.verify));
  const backend = result.fallback ? "interpreted, not compiled" : (BACKENDS[result.backend ?? ""] ?? result.backend ?? "");
  facts.push(result.device ? `${backend} on ${result.device.name}` : backend);
  facts.push(...Object.entries(result.sizes ?? {}).map(([name, value]) => `${name} = ${value}`));
  return `= ${shortened(oneLine(result), length)}  (${facts.filter((fact) => fact !== "").join(", ")})`;
}

/** `1510 GB/s, 45% of what copying reaches` */
function bandwidth(result: RunResult, times: Times): string {
  const share = result.bandwidth?.share;
  const of = share === undefined ? "" : `, ${Math.round(share * 100)}% of what copying reaches`;
  return `${digits(times.gigabytes)} GB/s${of}`;
}

/** How each kernel was launched, what copying reaches, and what the times do not count. */
function onDevice(result: RunResult): string[] {
  const grid = (sizes: readonly number[]): string => sizes.join("×");
  const lines = (result.kernels ?? []).map(({ name, local, global, time }) => {
    const groups = local === null ? "" : ` in groups of ${grid(local)}`;
    return `${name}: ${seconds(time)}, ${grid(global)} work-items${groups}`;
  });
  if (result.bandwidth) lines.push(`copying in the device's memory reaches ${digits(result.bandwidth.copy)} GB/s`);
  if (result.transfers) {
    const { up, down } = result.transfers;
    lines.push(`not counted: ${seconds(up)} to the device, ${seconds(down)} back`);
  }
  return lines;
}

/** All of it, for the output. */
export function report(result: RunResult): string[] {
  if (result.error !== undefined) {
    const places = (result.errors ?? []).map(
      ({ uri, message, range }) => `${fileName(uri)}:${range.start.line + 1}: ${message}`,
    );
    return places.length > 0 ? places : [result.error];
  }
  const lines = [`${result.def ?? ""} ${inline({ ...result, text: "" }, 0).replace(/^= +/, "")}`];
  if (result.fallback) lines.push(`not compiled: ${result.fallback}`);
  if (result.printed) lines.push(result.printed.trimEnd());
  lines.push(...(result.warnings ?? []));
  lines.push(result.text ?? "");
  const times = result.times ?? undefined;
  if (times !== undefined) {
    const span = `min ${seconds(times.min)}, median ${seconds(times.median)}, max ${seconds(times.max)}`;
    lines.push(`${times.runs} runs: ${span}; ${digits(times.gigabytes)} GB/s`);
  }
  lines.push(...onDevice(result));
  return lines;
}

/** All of it, for a document: what ran, the value, and the rest. */
export function page(result: RunResult): string {
  return `${report(result).join("\n")}\n`;
}

/**
 * The line from which on a definition is shown: that of its first annotation or line of
 * documentation. `line` is the one with its name.
 */
export function firstLine(lines: readonly string[], line: number): number {
  let first = line;
  while (first > 0 && /^\s*(@|\/\/\/)/.test(lines[first - 1] ?? "")) first -= 1;
  return first;
}

/** The name of the definition that a line belongs to, from its annotations and documentation on. */
export function definitionAt(lines: readonly string[], line: number): string | undefined {
  let name: string | undefined;
  for (const [at, text] of lines.entries()) {
    const match = /^\s*def\s+([^\s:=(]+)/.exec(text);
    if (match === null) continue;
    if (firstLine(lines, at) > line) break;
    name = match[1];
  }
  return name;
}

/** The sizes that `@run` says of the definition whose name is in a line. */
export function annotatedSizes(lines: readonly string[], line: number): Record<string, number> {
  const above = lines.slice(firstLine(lines, line), line).join("\n");
  return sizes(/^\s*@run\s*\(([^)]*)\)/m.exec(above)?.[1] ?? "");
}

/** The last run in a few words, for the status bar. */
export function brief(result: RunResult): string {
  const name = result.def ?? "run";
  if (result.error !== undefined) return `✗ ${name}`;
  const wrong = result.verify?.ok === false ? "✗ " : "";
  return `${wrong}${name} ${seconds(result.times?.median ?? result.elapsed ?? 0)}`;
}

/** What a notification says of a failed run: it has one line. The second half is what to do about it. */
export function notice(result: RunResult): string {
  const [message = "", ...rest] = (result.error ?? "").split("\n");
  const said = [...rest, ...(result.errors?.[0]?.message.split("\n") ?? [])];
  const help = said.find((line) => line.startsWith("help: "))?.slice("help: ".length);
  return help === undefined ? message : `${message}; ${help}`;
}

/** Whether the user should see all of it. */
export function isNews(result: RunResult): boolean {
  return Boolean(result.printed) || result.verify?.ok === false || Boolean(result.warnings?.length);
}

/** The path of a file; other documents keep their URI. */
function fileName(uri: string): string {
  return uri.startsWith("file://") ? fileURLToPath(uri) : uri;
}

function shortened(text: string, length: number): string {
  const letters = [...text];
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}

/** Sizes of these names as a user writes them: as `sizes` reads them, or a number alone if there is one name. */
export function sizesOf(names: readonly string[], text: string): Record<string, number> {
  const [name, ...others] = names;
  const isNumber = /^\s*\d+\s*$/.test(text);
  return name !== undefined && others.length === 0 && isNumber ? { [name]: Number(text) } : sizes(text);
}

/** Sizes as a user writes them: `n = 4, m=5`. Those that are missing or no numbers are left out. */
export function sizes(text: string): Record<string, number> {
  const all: Record<string, number> = {};
  for (const part of text.split(/[,;\s]*(?=[A-Za-z_]\w*\s*=)/)) {
    const match = /^([A-Za-z_]\w*)\s*=\s*(\d+)\s*[,;]?\s*$/.exec(part.trim());
    if (match?.[1] !== undefined) all[match[1]] = Number(match[2]);
  }
  return all;
}
