// Strategies as the server lists them, and what becomes of their steps on the screen. Knows nothing of
// the editor, so that it can be tested without one.

import type { Range } from "./parts";

/** A parameter of a strategy. */
export interface Parameter {
  readonly name: string;
  /** `Nat`, `Int`, `Bool`, `Addr`, `String`, `List[Nat]`, … */
  readonly type: string;
  /** Whether it may be left out. */
  readonly optional: boolean;
}

/** A strategy that the server offers for a definition. */
export interface Strategy {
  readonly name: string;
  /** What it does, in a menu's words. */
  readonly title: string | null;
  /** `fuse`, `tile`, …: where a menu files it. */
  readonly kind: string | null;
  readonly docs: string | null;
  /** Whether it is a single rule, which applies at one place. */
  readonly rule: boolean;
  /** Lists of parameters: `f(a)(b)` has two. */
  readonly parameters: readonly (readonly Parameter[])[];
  /** The file that defines it; of the library's, a document inside the server. */
  readonly uri: string | null;
  readonly library: boolean;
}

/** A step of a strategy, or several of a normal form. */
export interface Step {
  /** The rule with its arguments, or the normal form. */
  readonly rule: string;
  /** How many rule applications it stands for. */
  readonly count: number;
  /** Whether it belongs to a normal form, which only tidies up. */
  readonly housekeeping: boolean;
  /** On behalf of which strategies, the outermost first. */
  readonly strategies: readonly string[];
  /** Where in the document's text, as it is now. */
  readonly range?: Range;
  readonly before: string;
  readonly after: string;
  readonly assumptions: readonly string[];
}

/** Why a strategy came to nothing. */
export interface Failure {
  readonly message: string;
  readonly range?: Range;
}

/** The steps of a strategy on a definition, and the program after one of them. */
export interface Steps {
  readonly def: string;
  readonly version: number | null;
  readonly steps: readonly Step[];
  /** After how many of the steps the text is; those of normal forms count. */
  readonly step: number;
  /** The text of the whole document after that step; none if it cannot be written. */
  readonly text: string | null;
  /** What the step has changed, in that text. */
  readonly changed: Range | null;
  /** Where the definition is, in that text. */
  readonly place: Range | null;
  readonly failure: Failure | null;
}

/** What there is to say of a rule at a place. */
export interface Why {
  readonly applies: boolean;
  readonly message: string;
  /** Rewrites after which it applies. */
  readonly enabledBy: readonly { readonly title: string; readonly strategy: string }[];
}

/** A parameter that the server asks for. */
export interface Named {
  readonly name: string;
  readonly type: string;
}

/** A loop of a nest, whose order is asked for. */
export interface Loop {
  readonly name: string;
  readonly size: string;
  readonly reduces: boolean;
}

/** A strategy that the server offers once it knows its arguments. */
export interface Asked {
  readonly uri: string;
  readonly def: string;
  /** The file in whose words it is written, if that is another one. */
  readonly from: string | null;
  /** As it is written, with parameters in braces. */
  readonly strategy: string;
  readonly parameters: readonly Named[];
  /** If an order of loops is asked for, these, the outermost first. */
  readonly loops: readonly Loop[];
}

export function isAsked(value: unknown): value is Asked {
  if (typeof value !== "object" || value === null) return false;
  const { uri, def, strategy, parameters, loops } = value as Record<string, unknown>;
  return (
    [uri, def, strategy].every((text) => typeof text === "string") &&
    [parameters, loops].every((list) => Array.isArray(list))
  );
}

/** A strategy with values for its parameters. */
export function filled(strategy: string, values: ReadonlyMap<string, string>): string {
  return strategy.replace(/\{(\w+)\}/g, (hole, name: string) => values.get(name) ?? hole);
}

/** What a rewrite did. */
export interface Explained {
  readonly title: string;
  readonly strategy: string;
  readonly steps: readonly Step[];
}

/** A rewrite as Markdown. */
export function explanation({ title, strategy, steps }: Explained): string {
  const shown = steps.map((step, at) => `## Step ${at + 1}\n\n${described(step)}`);
  return [`# ${title}`, `\`${strategy}\``, ...shown].join("\n\n");
}

/** Where in a definition a rule is to be applied. */
export interface Traversal {
  readonly label: string;
  readonly detail: string;
  readonly wrap: (strategy: string) => string;
}

/** The ways to apply a rule to a definition: by itself it is tried on the whole of it only. */
export const TRAVERSALS: readonly Traversal[] = [
  {
    label: "The first place from the outside",
    detail: "topDown: functions that hold others come first",
    wrap: (strategy) => `topDown(${strategy})`,
  },
  {
    label: "The first place from the inside",
    detail: "bottomUp: what is nested deepest comes first",
    wrap: (strategy) => `bottomUp(${strategy})`,
  },
  {
    label: "Everywhere, until it applies nowhere",
    detail: "normalize: the results too; a rule that undoes itself never ends",
    wrap: (strategy) => `normalize(${strategy})`,
  },
  {
    label: "The whole definition",
    detail: "the rule by itself",
    wrap: (strategy) => strategy,
  },
];

/** The name of the last definition of a text. */
export function definedIn(text: string): string | undefined {
  return [...text.matchAll(/^def\s+([\p{L}_][\p{L}\p{N}_]*)/gmu)].at(-1)?.[1];
}

/** A name as it is written in an expression. */
export function quoted(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `\`${name}\``;
}

/**
 * A strategy with its arguments, as it is written. Arguments that are left out are those at the end
 * of a list; a list without any is not written.
 */
export function call(name: string, values: readonly (readonly (string | undefined)[])[]): string {
  const lists = values.map((list) => list.filter((value) => value !== undefined));
  const written = lists.filter((list) => list.length > 0).map((list) => `(${list.join(", ")})`);
  return quoted(name) + written.join("");
}

/** What is wrong with the text of an argument; nothing if it may be one. The server says the rest. */
export function misfit(type: string, text: string): string | undefined {
  const value = text.trim();
  if (value === "") return "There is nothing here";
  if (type === "Int" && !/^-?\d+$/.test(value)) return "This is a whole number: 4";
  if (type === "Nat" && !/^[\p{L}\p{N}_+*/%^() -]+$/u.test(value)) return "This is a size: 32, n/4";
  if (type.startsWith("List") && !/^\[.*\]$/.test(value)) return "This is a list: [32, 32]";
  return undefined;
}

/** What an argument of a type is, for the one who is asked for it. */
export function asked(type: string): string {
  if (type === "Nat") return "A size: a number, or an expression over the sizes of the definition";
  if (type === "Int") return "A whole number";
  if (type.startsWith("List")) return "A list, as in [32, 32]";
  return type;
}

/** A usual argument of a type. */
export function usual(type: string): string {
  return { Nat: "32", Int: "0" }[type] ?? "";
}

/** A step without the place in the definition where it was taken: `at([0, 1])(mapFusion)` is `mapFusion`. */
export function withoutPlace(step: string): string {
  return /^at\(\[[\d, ]*\]\)\((.*)\)$/s.exec(step)?.[1] ?? step;
}

/** A message of several lines as one, for a notification. */
export function sentence(message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join("; ");
}

/** What a menu says of a strategy: titles have parameters in braces. */
export function title(strategy: Strategy): string {
  const text = strategy.title ?? "";
  return text.replace(/\{(\w+)\}/g, (_, name: string) => name);
}

/** How a parameter list is shown. */
export function signature({ parameters }: Strategy): string {
  const one = ({ name, type, optional }: Parameter): string =>
    `${name === "" ? type : `${name}: ${type}`}${optional ? " = …" : ""}`;
  return parameters.map((list) => `(${list.map(one).join(", ")})`).join("");
}

/** The first sentence of a documentation. */
export function firstSentence(docs: string | null): string {
  const [first] = (docs ?? "").trim().split(/(?<=[.!?])\s|\n\s*\n/u);
  return (first ?? "").replace(/\s+/g, " ");
}

/** A line of the list of steps. */
export type Row =
  | { readonly kind: "step"; readonly step: Step; /** After how many it is done. */ readonly done: number; /** As people count. */ readonly number: number }
  | { readonly kind: "tidying"; readonly steps: readonly Step[]; readonly done: number; readonly count: number };

/** The steps as rows: those of normal forms that follow each other are one row. */
export function rows(steps: readonly Step[]): readonly Row[] {
  const found: Row[] = [];
  let number = 0;
  steps.forEach((step, at) => {
    const last = found.at(-1);
    if (!step.housekeeping) {
      number += 1;
      found.push({ kind: "step", step, done: at + 1, number });
    } else if (last?.kind === "tidying") {
      found[found.length - 1] = {
        kind: "tidying",
        steps: [...last.steps, step],
        done: at + 1,
        count: last.count + step.count,
      };
    } else {
      found.push({ kind: "tidying", steps: [step], done: at + 1, count: step.count });
    }
  });
  return found;
}

/** Where to go from a place among the steps: what tidies up after a step goes with it. */
export function neighbour(steps: readonly Step[], at: number, way: "next" | "previous"): number {
  const stops = stopsOf(steps);
  const found =
    way === "next" ? stops.find((stop) => stop > at) : stops.findLast((stop) => stop < at);
  return found ?? at;
}

/** The start, and behind each step with what tidies up after it. */
export function stopsOf(steps: readonly Step[]): readonly number[] {
  const stops = [0];
  const all = rows(steps);
  all.forEach((row, index) => {
    if (row.kind === "step" || all.length === 1) stops.push(row.done);
    else if (index > 0) stops[stops.length - 1] = row.done;
  });
  return stops;
}

/** How many steps that are no housekeeping are done after the first ones. */
export function counted(steps: readonly Step[], done = steps.length): number {
  return steps.slice(0, done).filter((step) => !step.housekeeping).length;
}

/** `step 3 of 12: splitJoin(32)` */
export function position(steps: readonly Step[], done: number): string {
  const all = counted(steps);
  const number = counted(steps, done);
  const last = steps.slice(0, done).findLast((step) => !step.housekeeping);
  const name = last === undefined ? "" : `: ${last.rule}`;
  return number === 0 ? `before step 1 of ${all}` : `step ${number} of ${all}${name}`;
}

/** A step as Markdown. */
export function described(step: Step): string {
  const lines = [`**${step.rule}**`];
  if (step.strategies.length > 0) lines.push(`for ${step.strategies.map((s) => `\`${s}\``).join(" › ")}`);
  if (!step.housekeeping) {
    lines.push(`before\n${fenced(step.before)}`, `after\n${fenced(step.after)}`);
  }
  for (const assumption of step.assumptions) lines.push(`assumes \`${assumption}\``);
  return lines.join("\n\n");
}

const fenced = (text: string): string => `\`\`\`rise\n${text}\n\`\`\``;
