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
  readonly madeBy?: string;
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

const before = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);

const inside = (inner: Range, outer: Range): boolean =>
  !before(inner.start, outer.start) && !before(outer.end, inner.end);
