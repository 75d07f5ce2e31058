// What the server says about itself, as lines for the output channel.

/** `name: value`, a line each; objects are indented, and what is absent is left out. */
export function describe(status: unknown, indent = ""): string[] {
  if (typeof status !== "object" || status === null) return [`${indent}${String(status)}`];
  return Object.entries(status).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    if (typeof value === "object") {
      const lines = describe(value, `${indent}  `);
      return lines.length === 0 ? [] : [`${indent}${words(name)}:`, ...lines];
    }
    return [`${indent}${words(name)}: ${quantity(name, value)}`];
  });
}

/** `lastEditToDiagnosticsMicros` in words; a method's name stays as it is. */
function words(name: string): string {
  if (name.includes("/")) return name;
  return name
    .replace(/(Bytes|Micros)$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function quantity(name: string, value: unknown): string {
  if (typeof value !== "number") return String(value);
  if (name.endsWith("Bytes")) return size(value);
  if (name.endsWith("Micros")) return `${(value / 1000).toFixed(2)} ms`;
  return String(value);
}

const size = (bytes: number): string =>
  bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
