// Which part of a preview comes from where.

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Part {
  readonly source: Range;
  readonly target: Range;
  readonly origin?: Origin;
}

/** What made a part. */
export interface Origin {
  /** The primitive or operator that it comes from. */
  readonly primitive?: string;
  /** The definition in whose text that stands, if it is another one. */
  readonly definition?: string;
  /** What the compiler's passes did to it. */
  readonly passes?: readonly string[];
}

/** Why a definition has no preview. */
export interface Problem {
  readonly message: string;
  readonly range: Range;
}

/** The width of a comment. */
const WIDTH = 76;

/** An error as a comment, with the line of the program that it is about. */
export function commented({ message, range }: Problem): string {
  const lines = `line ${range.start.line + 1}: ${message}`.split("\n").flatMap(wrapped);
  return lines.map((line) => `// ${line}`.trimEnd()).join("\n");
}

/** A line in pieces that are as wide as a comment; later ones are indented like it. */
function wrapped(line: string): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const pieces: string[] = [];
  let piece = indent;
  for (const word of line.trim().split(/ +/)) {
    if (piece.trim() !== "" && piece.length + 1 + word.length > WIDTH) {
      pieces.push(piece);
      piece = indent;
    }
    piece += piece.trim() === "" ? word : ` ${word}`;
  }
  return [...pieces, piece];
}

/** The smallest part that holds a place of the source or of the target. */
export function innermost(
  parts: readonly Part[],
  at: Position,
  side: "source" | "target",
): Part | undefined {
  let best: Part | undefined;
  for (const part of parts) {
    const range = part[side];
    if (before(at, range.start) || before(range.end, at)) continue;
    if (best === undefined || inside(range, best[side])) best = part;
  }
  return best;
}

/**
 * What made the text at a place, as Markdown: the primitive of the smallest part, and what the passes
 * did to the smallest part of which something is known.
 */
export function made(parts: readonly Part[], at: Position): string | undefined {
  const around = parts.filter((part) => !before(at, part.target.start) && !before(part.target.end, at));
  const by = innermost(
    around.filter((part) => part.origin?.primitive !== undefined),
    at,
    "target",
  );
  const done = innermost(
    around.filter((part) => (part.origin?.passes ?? []).length > 0),
    at,
    "target",
  );
  const lines: string[] = [];
  if (by?.origin?.primitive !== undefined) {
    const { primitive, definition } = by.origin;
    const where = definition === undefined ? "" : ` in \`${definition}\`, used`;
    lines.push(`\`${primitive}\`${where} (${place(by.source)})`);
  }
  for (const pass of done?.origin?.passes ?? []) lines.push(`- ${pass}`);
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** Where the first part stands that a primitive has made: behind headers, checks and the signature. */
export function firstMade(parts: readonly Part[]): Range | undefined {
  const all = parts.filter((part) => part.origin?.primitive !== undefined).map((part) => part.target);
  return all.reduce<Range | undefined>(
    (first, range) => (first === undefined || before(range.start, first.start) ? range : first),
    undefined,
  );
}

/** Lines as people count them. A stage of a pipeline has what flows into it as its first line. */
function place({ start, end }: Range): string {
  const [first, last] = [start.line + 1, end.line + 1];
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

const before = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);

const inside = (inner: Range, outer: Range): boolean =>
  !before(inner.start, outer.start) && !before(outer.end, inner.end);
