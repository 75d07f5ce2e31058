// What a run says, in words. Knows nothing of the editor, so that it can be tested without one.

/** The answer to `rise/run`: a result, or why there is none. */
export interface RunResult {
  readonly def?: string;
  readonly backend?: string;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly text?: string;
  readonly printed?: string;
  readonly warnings?: readonly string[];
  readonly elapsed?: number;
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

export interface Verify {
  readonly ok: boolean;
  readonly compared: number;
  readonly wrong: number;
  readonly first: { path: string; actual: unknown; expected: unknown } | null;
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
  return `${Number((time / size).toPrecision(3))} ${unit}`;
}

/** Whether it is as the interpreter says, if that was asked. */
export function verdict(verify: Verify): string {
  if (verify.ok) return "as in the interpreter";
  const first = verify.first;
  const where = first === null ? "" : `; ${first.path || "the result"} is ${first.actual}, not ${first.expected}`;
  return `WRONG in ${verify.wrong} of ${verify.compared} places${where}`;
}

/** What stands behind the definition: the value, how long it took, whether it is right. */
export function inline(result: RunResult, length: number): string {
  if (result.error !== undefined) return shortened(`✗ ${result.error.split("\n")[0]}`, length);
  const facts: string[] = [];
  const times = result.times ?? undefined;
  if (times !== undefined) {
    facts.push(seconds(times.median));
    if (times.gflops !== null) facts.push(`${Number(times.gflops.toPrecision(3))} GFLOP/s`);
  } else if (result.elapsed !== undefined) {
    facts.push(seconds(result.elapsed));
  }
  if (result.verify) facts.push(verdict(result.verify));
  facts.push(BACKENDS[result.backend ?? ""] ?? "");
  facts.push(...Object.entries(result.sizes ?? {}).map(([name, value]) => `${name} = ${value}`));
  const value = (result.text ?? "").replace(/\s+/g, " ").trim();
  return `= ${shortened(value, length)}  (${facts.filter((fact) => fact !== "").join(", ")})`;
}

/** All of it, for the output. */
export function report(result: RunResult): string[] {
  if (result.error !== undefined) {
    const places = (result.errors ?? []).map(
      ({ uri, message, range }) => `${uri}:${range.start.line + 1}: ${message}`,
    );
    return places.length > 0 ? places : [result.error];
  }
  const lines = [`${result.def ?? ""} ${inline({ ...result, text: "" }, 0).replace(/^= +/, "")}`];
  if (result.printed) lines.push(result.printed.trimEnd());
  lines.push(...(result.warnings ?? []));
  lines.push(result.text ?? "");
  const times = result.times ?? undefined;
  if (times !== undefined) {
    const span = `min ${seconds(times.min)}, median ${seconds(times.median)}, max ${seconds(times.max)}`;
    lines.push(`${times.runs} runs: ${span}; ${Number(times.gigabytes.toPrecision(3))} GB/s`);
  }
  return lines;
}

/** Whether the user should see all of it. */
export function isNews(result: RunResult): boolean {
  return Boolean(result.printed) || result.verify?.ok === false || Boolean(result.warnings?.length);
}

function shortened(text: string, length: number): string {
  const letters = [...text];
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
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
