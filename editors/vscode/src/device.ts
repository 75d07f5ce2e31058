// An OpenCL device in words. Knows nothing of the editor, so that it can be tested without one.

/** What `rise/devices` says of a device. */
export interface Device {
  readonly number?: number;
  readonly name: string;
  readonly platform: string;
  readonly kind?: string;
  readonly computeUnits?: number;
  readonly globalMemory?: number;
  readonly localMemory?: number;
  readonly workGroup?: number;
}

/** As a choice among several. */
export function describe(device: Device): { label: string; detail: string } {
  const facts = [device.platform];
  if (device.computeUnits !== undefined) facts.push(`${device.computeUnits} compute units`);
  if (device.globalMemory !== undefined) facts.push(`${memory(device.globalMemory)} of memory`);
  if (device.localMemory !== undefined) facts.push(`${memory(device.localMemory)} of local memory`);
  if (device.workGroup !== undefined) facts.push(`work-groups up to ${device.workGroup}`);
  return { label: device.name, detail: facts.join(", ") };
}

/** What the setting says to mean this device among all: its name, or its number where others are called so too. */
export function setting(device: Device, all: readonly Device[]): string {
  const alike = all.filter(({ name, platform }) => `${platform} ${name}`.includes(device.name));
  return alike.length > 1 && device.number !== undefined ? `#${device.number}` : device.name;
}

/** Powers of two, as devices have them: `48 kB`. */
function memory(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toPrecision(3))} ${units[unit] ?? ""}`;
}
