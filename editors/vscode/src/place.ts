// A definition that a code lens is about.

export interface Place {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
  readonly def: string;
  readonly target: string | null;
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
