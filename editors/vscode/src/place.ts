// A definition that a code lens is about.

export interface Place {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
  readonly def: string;
  readonly target: string | null;
  /** What is to run it, where the lens says so. */
  readonly backend?: string;
  /** How often it is to be timed. */
  readonly bench?: number;
}

export function isPlace(value: unknown): value is Place {
  return (
    typeof value === "object" &&
    value !== null &&
    "uri" in value &&
    typeof value.uri === "string" &&
    "def" in value &&
    typeof value.def === "string" &&
    "position" in value
  );
}
