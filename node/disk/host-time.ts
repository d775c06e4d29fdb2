/** libuv truncated times to microseconds before 1.52, and a time in seconds is often a little too small to be one. Bun does not use it. */
const truncatesTimes = process.versions.bun === undefined && isOlder(process.versions.uv ?? '', [1, 52])

/** Node reads a negative number as the present. Where times are truncated, adding half a microsecond rounds. */
export function hostTime(modifiedMs: number): number | Date {
  if (modifiedMs < 0) return new Date(modifiedMs)
  return (truncatesTimes ? modifiedMs + 0.0005 : modifiedMs) / 1000
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}
